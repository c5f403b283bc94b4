"""Times matrix products of the sizes that the voices use."""

import os
import sys
import time

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

if not torch.cuda.is_available():
    sys.exit("this benchmark needs a GPU")

def seconds_for(size, device):
    left = torch.randn(size, size, device=device)
    right = torch.randn(size, size, device=device)
    torch.cuda.synchronize()
    started = time.perf_counter()
    left @ right
    torch.cuda.synchronize()
    return time.perf_counter() - started


if __name__ == "__main__":
    for size in (512, 1024, 2048):
        print(size, seconds_for(size, "cuda:0"))
