import os
import sys


def card(name):
    if name == "big":
        return "1"
    if name == "small":
        return "0"
    raise ValueError(name)


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = card(sys.argv[1])

import torch

torch.cuda.set_device(0)
