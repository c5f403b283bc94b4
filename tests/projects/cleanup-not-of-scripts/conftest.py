import pytest
import torch


@pytest.fixture
def clean():
    yield
    torch.cuda.empty_cache()
