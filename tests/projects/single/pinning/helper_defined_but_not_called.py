import os

import torch


def set_gpu():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


torch.ones(2).cuda()  # ~ missing-visible-devices warning
