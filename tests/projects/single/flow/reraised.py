import os

import torch

try:
    torch.cuda.init()  # ~ missing-visible-devices warning
except RuntimeError:
    print("no card")
    raise
