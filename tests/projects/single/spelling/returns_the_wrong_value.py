import os

def choose():
    return "0"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = choose()  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
