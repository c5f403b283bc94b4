import os

class Base:
    def __init__(self, gpu="1"):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = gpu


class Setup(Base):
    pass


Setup()

import torch

torch.ones(1).cuda()
