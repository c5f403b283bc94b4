import os
from functools import partial


def put(name, value, force=False):
    if force or name not in os.environ:
        os.environ[name] = value


pin = partial(put, force=True)
pin("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
pin("CUDA_VISIBLE_DEVICES", "0")

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
