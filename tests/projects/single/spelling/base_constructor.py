import os

class Base:
    def __init__(self, gpu):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu


class Setup(Base):
    def __init__(self):
        super().__init__("1")


Setup()

import torch

torch.ones(1).cuda()
