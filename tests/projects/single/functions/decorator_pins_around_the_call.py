import functools
import os


def pinned(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        return function(*args, **kwargs)

    return wrapper


@pinned
def train(device="cuda"):
    import torch

    torch.zeros(1, device=device)


train()
