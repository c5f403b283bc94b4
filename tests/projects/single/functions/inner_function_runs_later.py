import os

import torch


def build():
    def use():
        return torch.zeros(1).cuda()

    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    return use


build()()
