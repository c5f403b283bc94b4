import os

import torch

try:
    print("working")
finally:
    torch.cuda.synchronize()
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
