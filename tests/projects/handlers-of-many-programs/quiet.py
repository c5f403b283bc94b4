import os

import reload
import torch

os.environ.pop("RELOADED", None)
torch.cuda.init()  # ~ missing-visible-devices warning
if os.environ.get("RELOADED") == "1":
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
