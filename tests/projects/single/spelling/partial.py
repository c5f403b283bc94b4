import os

import functools


def pin(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu


functools.partial(pin, "1")()

import torch

torch.ones(1).cuda()
