import os
import sys
import torch


def fill(mask):
    return os.environ.setdefault("CUDA_VISIBLE_DEVICES", mask)


if len(sys.argv) > 1:
    os.putenv("CUDA_VISIBLE_DEVICES", "1")
if "CUDA_VISIBLE_DEVICES" not in os.environ:
    fill("2")
os.putenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
os.environ.pop("CUDA_DEVICE_ORDER", None)
torch.cuda.init()
fill("3")
