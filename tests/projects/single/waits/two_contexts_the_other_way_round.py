import os
from contextlib import contextmanager


@contextmanager
def pinned():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
    yield


@contextmanager
def started():
    import torch

    torch.cuda.init()
    yield


with started(), pinned():
    print("running")
