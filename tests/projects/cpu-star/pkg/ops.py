from torch import *  # ~ gpu-import-in-cpu-mode error


def add(a, b):
    return a + b
