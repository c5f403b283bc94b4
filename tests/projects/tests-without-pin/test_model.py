import torch


def test_model():
    assert torch.ones(1).cuda().is_cuda  # ~ missing-visible-devices warning
