import os


def make(index):
    def pin():
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = str(index)

    return pin


make(0)()

import torch

torch.ones(2).cuda()
