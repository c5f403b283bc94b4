import functools
import os


def order(card):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    return card


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


both = functools.reduce(lambda one, other: lambda card: other(one(card)), [order, choose])
both("1")
