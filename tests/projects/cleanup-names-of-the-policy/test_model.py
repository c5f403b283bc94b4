import pytest
import torch
from team_tools import gpu_context, gpu_memory_monitor, gpu_test_cleanup
from team_tools import testing


@gpu_test_cleanup()
def test_decorated():
    assert torch.ones(2, device="cuda").sum() == 2


@testing.gpu_memory_monitor
def test_monitored():
    assert torch.ones(2, device="cuda").sum() == 2


def test_context():
    with testing.gpu_context("sum") as device:
        assert torch.ones(2, device="cuda").sum() == 2


def test_behind_the_context():  # ~ gpu-test-without-cleanup error
    with gpu_context("sum"):
        pass
    assert torch.ones(2, device="cuda").sum() == 2


@pytest.mark.usefixtures("gpu_memory_watch")
def test_fixture_of_a_plugin():
    assert torch.ones(2, device="cuda").sum() == 2


def test_argument(gpu_context):
    assert torch.ones(2, device="cuda").sum() == 2


@gpu_test_cleanup
class TestClass:
    def test_sum(self):
        assert torch.ones(2, device="cuda").sum() == 2


@testing.other_decorator
def test_other_decorator():  # ~ gpu-test-without-cleanup error
    assert torch.ones(2, device="cuda").sum() == 2


def test_mentions_gpu_test_cleanup():  # ~ gpu-test-without-cleanup error
    """Uses gpu_test_cleanup one day."""
    assert torch.ones(2, device="cuda").sum() == 2


def test_on_the_cpu():
    assert torch.ones(2).sum() == 2


@gpu_test_cleanup()
def build():
    return torch.ones(2, device="cuda")


def test_helper_is_decorated():
    assert build().sum() == 2
