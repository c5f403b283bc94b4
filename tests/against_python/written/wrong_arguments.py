import functools
import os
import sys
import torch


class Loader:
    def __init__(self, mask, *, order="PCI_BUS_ID"):
        self.mask = mask
        os.environ["CUDA_DEVICE_ORDER"] = order

    def use(self, mask, times=1):
        os.environ["CUDA_VISIBLE_DEVICES"] = mask


def choose(mask, other=None):
    os.environ["CUDA_VISIBLE_DEVICES"] = mask


calls = [
    lambda: choose(),
    lambda: choose("1", "2", "3"),
    lambda: choose("1", mask="2"),
    lambda: choose("1", device="2"),
    lambda: Loader(),
    lambda: Loader("1", "2"),
    lambda: Loader("1").use(),
    lambda: Loader("1").use("4", 1, 2),
    lambda: functools.partial(choose, "1", "2")("3"),
    lambda: choose(*["1", "2", "3"]),
    lambda: choose(**{"masks": "2"}),
]
for call in calls:
    try:
        call()
        os.environ["CUDA_VISIBLE_DEVICES"] = "5"
    except TypeError:
        continue
try:
    choose()
    torch.cuda.current_device()
except TypeError:
    torch.cuda.init()
