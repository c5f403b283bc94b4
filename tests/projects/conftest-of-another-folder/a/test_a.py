import torch


def test_a():  # ~ gpu-test-without-cleanup warning
    torch.ones(1).cuda()
