import os

import torch


def pin(x):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
    return x


x = pin(torch.ones(1, device="cuda"))
