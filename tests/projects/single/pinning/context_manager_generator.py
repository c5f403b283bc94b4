import contextlib
import os


@contextlib.contextmanager
def pinned(index):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = index
    yield


with pinned("0"):
    import torch

    torch.ones(2).cuda()
