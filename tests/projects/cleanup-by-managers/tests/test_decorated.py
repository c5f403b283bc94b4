import pytest
import torch

from gpu import memory
from gpu.memory import Decorating, careful, careless, cleaned, measured


@cleaned("sum")
def test_cleaned():
    assert torch.ones(2, device="cuda").sum() == 2


@pytest.mark.gpu
@memory.cleaned()
def test_cleaned_by_attribute():
    assert torch.ones(2, device="cuda").sum() == 2


@measured
def test_measured():  # ~ gpu-test-without-cleanup warning
    assert torch.ones(2, device="cuda").sum() == 2


@careful()
def test_careful():
    assert torch.ones(2, device="cuda").sum() == 2


@careless()
def test_careless():  # ~ gpu-test-without-cleanup warning
    assert torch.ones(2, device="cuda").sum() == 2


@Decorating()
def test_decorating():
    assert torch.ones(2, device="cuda").sum() == 2


@pytest.fixture
def device():
    return "cuda"


class TestMethods:
    @cleaned()
    def test_cleaned(self, device):
        assert torch.ones(2, device=device).sum() == 2

    @measured
    def test_measured(self, device):  # ~ gpu-test-without-cleanup warning
        assert torch.ones(2, device=device).sum() == 2
