import os

import torch


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


setup = pin
del pin
pin = print
pin("not a pin any more")
torch.ones(1).cuda()  # ~ missing-visible-devices warning
