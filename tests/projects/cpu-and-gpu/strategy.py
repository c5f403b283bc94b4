import numpy


def run(gpu=False):
    if gpu:
        import torch

        return torch.ones(1, device="cuda:0")
    return numpy.ones(1)
