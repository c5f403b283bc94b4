import pytest
import torch


@pytest.fixture(autouse=True)
def clean():
    yield
    torch.cuda.empty_cache()
