import torch


def test_b():
    torch.ones(1).cuda()  # ~ missing-visible-devices warning
