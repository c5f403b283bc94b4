import sys

import torch

if "--gpu" in sys.argv and torch.cuda.init():  # ~ missing-visible-devices warning
    print("on the GPU")
