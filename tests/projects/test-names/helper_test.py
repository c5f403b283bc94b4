import torch


def test_model():  # ~ gpu-test-without-cleanup note
    torch.ones(1).cuda()  # ~ missing-visible-devices warning
