import os

STEPS = []


def step(function):
    STEPS.append(function)
    return function


@step
def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


pin()

import torch

torch.ones(1).cuda()
