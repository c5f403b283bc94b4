import os


class Pinned(type):
    def __new__(mcs, name, bases, body):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return super().__new__(mcs, name, bases, body)


class Settings(metaclass=Pinned):
    pass


import torch

torch.cuda.init()
