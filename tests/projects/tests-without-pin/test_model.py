import torch


def test_model():  # ~ gpu-test-without-cleanup note
    assert torch.ones(1).cuda().is_cuda  # ~ missing-visible-devices warning
