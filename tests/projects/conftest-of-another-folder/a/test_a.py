import torch


def test_a():  # ~ gpu-test-without-cleanup note
    torch.ones(1).cuda()
