import sys

import torch

if "--gpu" in sys.argv and torch.cuda.is_available():  # ~ missing-visible-devices warning
    print("on the GPU")
