import os

import torch

mask = os.environ.get("CUDA_VISIBLE_DEVICES", "")
if not (len(mask) > 0 and mask != "-1"):
    torch.cuda.init()  # ~ missing-visible-devices warning
