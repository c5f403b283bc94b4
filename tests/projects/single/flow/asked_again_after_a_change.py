"""What a function answers depends on what was changed since it was asked last."""
import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

INDEX = 0


class Choice:
    index = 0


choice = Choice()


def chosen():
    return INDEX


def kept():
    return choice.index


def choose(index):
    global INDEX
    INDEX = index


def inside(tensor):
    index = 0

    def own():
        return index

    tensor.cuda(own())
    index = 2  # ~ device-outside-mask error
    tensor.cuda(own())


x = torch.ones(1)
x.cuda(chosen())  # ~ device-move-dropped warning
choose(1)  # ~ device-outside-mask error
x.cuda(chosen())  # ~ device-move-dropped warning
INDEX = 0
x.cuda(chosen())  # ~ device-move-dropped warning
x.cuda(kept())  # ~ device-move-dropped warning
choice.index = 3  # ~ device-outside-mask error
x.cuda(kept())  # ~ device-move-dropped warning
choice.index = 0
x.cuda(kept())  # ~ device-move-dropped warning
inside(x)
if len(sys.argv) > 1:
    choose(4)  # ~ device-outside-mask error
    x.cuda(chosen())
else:
    x.cuda(chosen())
