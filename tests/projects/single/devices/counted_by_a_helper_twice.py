"""A helper that asks for the number of devices is asked more than once."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch


def count():
    return torch.cuda.device_count()


def first(x):
    if count() > 1:
        x = x.to("cuda:1")  # ~ missing-visible-devices warning
    return x


def second(x):
    if count() > 1:
        x = x.to("cuda:1")
    if count() > 2:
        x = x.to("cuda:2")
    return x


if torch.cuda.is_available():
    second(first(torch.ones(1)))
