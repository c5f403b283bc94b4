import os

class Setup:
    def __new__(cls):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return super().__new__(cls)


Setup()

import torch

torch.ones(1).cuda()
