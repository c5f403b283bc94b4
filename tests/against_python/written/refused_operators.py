import os
import torch


def tried(function, *values):
    try:
        function(*values)
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    except Exception:
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        return True
    return False


def below(one, other):
    return one < other


def less(one, other):
    return one - other


def first_of(values):
    for value in values:
        return value


def put(values):
    values[0] = 1


if tried(below, "a", 1) and tried(below, None, 1) and tried(less, "a", "b") and tried(less, 1, None):
    torch.cuda.init()
if tried(first_of, 5) and tried(put, (1, 2)) and tried(float, "five") and tried(len, 3) and tried(abs, "x"):
    torch.zeros(1).cuda()
