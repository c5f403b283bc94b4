import os

def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


ACTIONS = {"pin": pin}
ACTIONS["pin"]()

import torch

torch.ones(1).cuda()
