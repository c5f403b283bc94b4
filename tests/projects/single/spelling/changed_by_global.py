import os

GPU = "1"


def choose():
    global GPU
    GPU = "0"


choose()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = GPU  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
