import contextlib
import os


@contextlib.contextmanager
def pinned():
    before = dict(os.environ)
    os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="0")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


with pinned():
    import torch

    torch.ones(1).cuda()
