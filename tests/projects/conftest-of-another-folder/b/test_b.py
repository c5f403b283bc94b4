import torch


def test_b():  # ~ gpu-test-without-cleanup warning
    torch.ones(1).cuda()  # ~ missing-visible-devices warning
