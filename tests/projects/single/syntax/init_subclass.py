import os


class Base:
    def __init_subclass__(cls, **kwargs):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"


class Child(Base):
    pass


import torch

torch.ones(1).cuda()
