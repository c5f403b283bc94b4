import os
from contextlib import contextmanager


@contextmanager
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield


@contextmanager
def started():
    import torch

    torch.cuda.init()
    yield


with pinned(), started():
    print("running")
