import torch


def test_b():  # ~ gpu-test-without-cleanup note
    torch.ones(1).cuda()  # ~ missing-visible-devices warning
