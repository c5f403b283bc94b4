import os

MASK = None


def choose():
    global MASK
    MASK = "0"


choose()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = MASK

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
