import a
import torch

torch.cuda.init()  # ~ cuda-query-at-import note


def use():
    return a.mask()
