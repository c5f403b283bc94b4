import os

import torch


def down(left=6):
    if left <= 0:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return "0"
    return down(left - 1)


def each(cards):
    if not cards:
        torch.cuda.init()
        return
    each(cards[1:])


def odd(number):
    return even(number - 1) if number else "1"


def even(number):
    os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST" if number else "PCI_BUS_ID"
    return odd(number - 1) if number else "0"


down()
odd(5)
each(["0", "1", "2", "3", "4"])
