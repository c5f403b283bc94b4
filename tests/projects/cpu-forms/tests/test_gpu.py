import torch


def test_it():
    assert torch.ones(1).sum() == 1
