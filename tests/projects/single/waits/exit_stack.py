import os
from contextlib import ExitStack, contextmanager


@contextmanager
def card(mask):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = mask
    yield


with ExitStack() as stack:
    stack.enter_context(card("0"))
    import torch

    torch.cuda.set_device(1)  # ~ device-outside-mask error
