import os
import sys


def check():
    if sys.platform == "win32":
        raise RuntimeError("Linux only")
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6"


try:
    check()
except RuntimeError:
    print("not pinned")

import torch

torch.ones(1).cuda()  # ~ missing-visible-devices note
