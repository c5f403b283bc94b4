"""The helper is defined twice, and the later one, which is called, chooses nothing."""
import os


def _setup():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


def _setup():
    return os.environ.get("CUDA_VISIBLE_DEVICES")


_ROOT = _setup()

import torch  # ~ missing-visible-devices error, missing-device-order error

print(torch.zeros(2, device="cuda").sum())
