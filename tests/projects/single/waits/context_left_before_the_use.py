import os
from contextlib import contextmanager


@contextmanager
def card(mask):
    os.environ["CUDA_VISIBLE_DEVICES"] = mask
    try:
        yield
    finally:
        del os.environ["CUDA_VISIBLE_DEVICES"]  # ~ pin-removed warning


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
with card("0"):
    import torch

torch.cuda.init()
