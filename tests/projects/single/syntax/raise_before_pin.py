import os
import sys


def check():
    if sys.platform == "win32":
        raise RuntimeError("Linux only")
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


check()

import torch

torch.ones(1).cuda()
