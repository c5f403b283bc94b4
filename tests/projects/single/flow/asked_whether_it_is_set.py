import os

import torch

if "CUDA_VISIBLE_DEVICES" in os.environ:
    print(os.environ["CUDA_VISIBLE_DEVICES"])
torch.cuda.init()  # ~ missing-visible-devices warning
