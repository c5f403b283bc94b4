import pytest
import torch


@pytest.fixture
def from_plugin():
    yield
    torch.cuda.empty_cache()
