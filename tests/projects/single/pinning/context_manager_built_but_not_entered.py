import contextlib
import os

import torch


@contextlib.contextmanager
def pinned(index):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = index
    yield


manager = pinned("0")
torch.ones(2).cuda()  # ~ missing-visible-devices warning
