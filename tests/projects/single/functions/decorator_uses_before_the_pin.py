import functools
import os

import torch


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        torch.cuda.synchronize()
        return function(*args, **kwargs)

    return wrapper


@timed
def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error


pin()
