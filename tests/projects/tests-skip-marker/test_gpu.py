import pytest
import torch

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")


@needs_gpu
def test_sum():  # ~ gpu-test-without-cleanup note
    assert torch.ones(2, device="cuda").sum().item() == 2  # ~ missing-visible-devices warning
