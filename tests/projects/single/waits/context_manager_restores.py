import os
from contextlib import contextmanager


@contextmanager
def card(mask):
    old = os.environ.get("CUDA_VISIBLE_DEVICES")
    os.environ["CUDA_VISIBLE_DEVICES"] = mask
    try:
        yield
    finally:
        if old is None:
            del os.environ["CUDA_VISIBLE_DEVICES"]
        else:
            os.environ["CUDA_VISIBLE_DEVICES"] = old


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
with card("0"):
    import torch

    torch.cuda.init()
