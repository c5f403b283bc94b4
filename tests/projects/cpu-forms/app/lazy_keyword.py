lazy import torch
lazy from cupy import ndarray


def total(values):
    return torch.sum(values)
