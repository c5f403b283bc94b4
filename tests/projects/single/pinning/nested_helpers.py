import os


def _set(name, value):
    os.environ[name] = value


def _pin():
    def order():
        _set("CUDA_DEVICE_ORDER", "PCI_BUS_ID")

    order()
    _set("CUDA_VISIBLE_DEVICES", "0")
    return True


_PINNED = _pin()

import torch

torch.ones(2).cuda()
