import torch


def test_init():
    torch.cuda.init()
