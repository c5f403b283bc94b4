import os

from constants import CUDA_VISIBLE_DEVICES, SHAPE


def apply():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = CUDA_VISIBLE_DEVICES
    return SHAPE
