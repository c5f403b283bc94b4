import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")


def fix():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ conflicting-pins error


fix()

import torch

torch.ones(1).cuda()
