import sys

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def test_model():  # ~ gpu-test-without-cleanup note
    torch.ones(1, device=DEVICE)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
