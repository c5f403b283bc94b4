import os

class Config:
    def __init__(self):
        self.gpu = 0


config = Config()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(config.gpu)  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
