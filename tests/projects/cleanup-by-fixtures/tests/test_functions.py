import pytest
import torch


def test_released(released):
    assert torch.ones(2, device=released).sum() == 2


def test_released_in_turn(released_in_turn):
    assert torch.ones(2, device=released_in_turn).sum() == 2


def test_not_released(not_released):  # ~ gpu-test-without-cleanup warning
    assert torch.ones(2, device=not_released).sum() == 2


def test_by_finalizer(released_by_finalizer):
    assert released_by_finalizer(torch.ones(1, 2, device="cuda")).shape == (1, 2)


def test_conditionally(conditionally_released):
    assert torch.ones(conditionally_released, device="cuda").sum() > 0


@pytest.mark.usefixtures("released")
def test_named():
    assert torch.ones(2, device="cuda").sum() == 2


def test_from_plugin(from_plugin):
    assert torch.ones(2, device="cuda").sum() == 2


@pytest.fixture
def released_here():
    try:
        yield torch.ones(2, device="cuda")
    finally:
        torch.cuda.empty_cache()


def test_fixture_of_this_file(released_here):
    assert (released_here + torch.ones(2, device="cuda")).sum() == 4


async def test_coroutine():  # ~ gpu-test-without-cleanup warning
    assert torch.ones(2, device="cuda").sum() == 2


async def test_released_coroutine(released):
    assert torch.ones(2, device="cuda").sum() == 2
