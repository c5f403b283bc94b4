import os
import sys
import torch


def keep():
    return os.environ.get("CUDA_VISIBLE_DEVICES", "0")


def put(mask):
    os.putenv("CUDA_VISIBLE_DEVICES", mask)


os.environ["CUDA_VISIBLE_DEVICES"] = keep() + "1"
before = keep()
for mask in ["2", "3"]:
    put(mask)
    os.environ["CUDA_DEVICE_ORDER"] = keep()
if keep() == before:
    torch.cuda.init()
if len(sys.argv) > 1:
    os.environ["CUDA_VISIBLE_DEVICES"] = keep()
torch.cuda.current_device()
