import os

def pin(n):
    if n:
        pin(n - 1)
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


pin(3)

import torch

torch.ones(1).cuda()
