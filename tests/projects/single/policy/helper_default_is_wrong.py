import os


def pin(index=0, order="PCI_BUS_ID"):
    os.environ["CUDA_DEVICE_ORDER"] = order
    os.environ["CUDA_VISIBLE_DEVICES"] = str(index)  # ~ wrong-visible-devices error


pin()

import torch
