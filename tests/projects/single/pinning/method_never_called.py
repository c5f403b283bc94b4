import os

import torch


class Setup:
    def __init__(self):
        self.ready = False

    def apply(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


setup = Setup()
torch.ones(2).cuda()  # ~ missing-visible-devices warning
