import os
import torch


def tried(function, *values):
    try:
        function(*values)
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    except Exception:
        return True
    return False


def both(one, other):
    return one & other


def at(values, place):
    return values[place]


if tried(range, 1.5) and tried(bin, 1.5) and tried(format, 1.5, "b") and tried(both, 1, 1.5) and tried(at, [1], 0.0):
    torch.cuda.init()
