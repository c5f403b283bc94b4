import os
from functools import singledispatch


@singledispatch
def pin(mask):
    raise TypeError(mask)


@pin.register
def _(mask: str):
    os.environ["CUDA_VISIBLE_DEVICES"] = mask


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
