import a
import torch

torch.cuda.init()


def use():
    return a.mask()
