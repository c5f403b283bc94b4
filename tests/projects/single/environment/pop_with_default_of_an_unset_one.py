import os

os.environ.pop("CUDA_VISIBLE_DEVICES", None)

import torch

torch.cuda.init()  # ~ missing-visible-devices warning
