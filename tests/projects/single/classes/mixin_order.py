import os


class Pin:
    def __init__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        super().__init__()


class Load:
    def __init__(self):
        import torch

        self.tensor = torch.zeros(1).cuda()


class Trainer(Pin, Load):
    pass


Trainer()
