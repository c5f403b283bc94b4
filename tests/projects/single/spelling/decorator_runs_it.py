import os

def now(function):
    function()
    return function


@now
def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.ones(1).cuda()
