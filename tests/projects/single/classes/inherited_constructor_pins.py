import os


class Base:
    def __init__(self, mask="0"):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = mask
        self.start()

    def start(self):
        raise NotImplementedError


class Trainer(Base):
    def start(self):
        import torch

        torch.zeros(1, device="cuda:1")  # ~ device-outside-mask error


Trainer()
