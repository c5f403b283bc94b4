import os


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    if os.path.exists("/etc/single-gpu"):
        return
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


pin()

import torch

torch.ones(2).cuda()  # ~ missing-visible-devices note
