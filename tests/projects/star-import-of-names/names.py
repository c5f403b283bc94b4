import os as _os
from os import environ

__all__ = ["pin", "MASK"]

MASK = "0"


def pin(mask=MASK):
    environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    environ["CUDA_VISIBLE_DEVICES"] = mask
