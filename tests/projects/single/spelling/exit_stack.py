import os

import contextlib


@contextlib.contextmanager
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    yield


stack = contextlib.ExitStack()
stack.enter_context(pinned())

import torch

torch.ones(1).cuda()
