import os

def choose():
    return "1"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = choose()

import torch

torch.ones(1).cuda()
