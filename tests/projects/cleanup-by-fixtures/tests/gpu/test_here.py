import torch


def test_sum():
    assert torch.ones(2, device="cuda").sum() == 2
