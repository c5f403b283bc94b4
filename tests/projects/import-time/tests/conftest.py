import pytest
import torch

GPU = torch.cuda.is_available()


@pytest.fixture
def device():
    return "cuda" if GPU else "cpu"
