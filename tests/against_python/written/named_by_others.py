import collections
import os
import torch


def keeping(function):
    def call(*values):
        return function(*values)

    call.__name__ = function.__name__
    return call


@keeping
def double(card):
    return card * 2


class Card:
    def __eq__(self, other):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return True


class Other:
    def __ne__(self, other):
        os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"
        return True


os.environ["CUDA_VISIBLE_DEVICES"] = double.__name__
os.environ["CUDA_VISIBLE_DEVICES"] = str(collections.defaultdict(list, {1: 1}))
if not Card() != Other():
    torch.cuda.init()
