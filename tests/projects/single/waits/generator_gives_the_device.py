import os
from contextlib import contextmanager


@contextmanager
def session():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield "cuda:0"


with session() as device:
    import torch

    torch.zeros(1, device=device)
