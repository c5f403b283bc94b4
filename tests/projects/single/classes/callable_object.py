import os


class Pin:
    def __init__(self, mask):
        self.mask = mask

    def __call__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.mask


pin = Pin("0")
pin()

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
