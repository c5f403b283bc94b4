"""What is mocked is not used; what is not mocked is."""
from unittest.mock import patch

import torch


@patch("torch.cuda.is_available", return_value=True)
def test_mocked_question(available):  # ~ gpu-test-without-cleanup note
    assert torch.cuda.is_available()
    assert torch.ones(1, device="cuda").sum() == 1  # ~ missing-visible-devices note
