import os


class Settings:
    def __init__(self, mask):
        self.mask = mask

    @classmethod
    def first(cls):
        return cls("0")

    def apply(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.mask
        return self


Settings.first().apply()

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
