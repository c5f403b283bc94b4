"""A function that reads the environment is asked again after the environment has changed."""

import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch


def wanted():
    return os.environ.get("CUDA_VISIBLE_DEVICES")


print(wanted())
del os.environ["CUDA_VISIBLE_DEVICES"]  # ~ pin-removed warning
if wanted() is None:
    torch.cuda.init()
