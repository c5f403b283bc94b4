import os

import atexit


@atexit.register
def pin():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
