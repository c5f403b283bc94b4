import os

class Config:
    GPU = "0"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = Config.GPU  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
