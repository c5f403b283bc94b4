import os
import sys
import time

import torch

if time.time() % 2 < 1:
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
try:
    try:
        if "CUDA_VISIBLE_DEVICES" in os.environ:
            raise KeyError("x")
        elif len(sys.argv) > 2:
            sys.exit()
    finally:
        raise ValueError("y")
except Exception:
    torch.cuda.init()
