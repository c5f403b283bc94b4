import os

def pinned(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu

    def decorate(function):
        return function

    return decorate


@pinned("1")
def main():
    pass

import torch

torch.ones(1).cuda()
