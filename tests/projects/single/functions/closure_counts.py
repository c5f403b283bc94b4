import os


def pinner(mask):
    def pin():
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = mask

    return pin


pinner("0")()

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
