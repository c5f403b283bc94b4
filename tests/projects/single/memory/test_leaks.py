"""Checks for leaks."""

import gc

import pytest
import torch


@pytest.fixture(autouse=True)
def clean():
    yield
    gc.collect()
    torch.cuda.empty_cache()


def reserved():
    return torch.cuda.memory_reserved() / 2**20


def test_growth():
    before = reserved()
    run()
    assert reserved() - before < 50, "it leaks"  # ~ leak-check-on-reserved note


def test_no_leak():
    run()
    assert torch.cuda.memory_reserved() < 2**30  # ~ leak-check-on-reserved note


def test_with_a_step_between():
    start = torch.cuda.memory_reserved(0)
    run()
    growth = torch.cuda.memory_reserved(0) - start
    if growth > 2**20:
        pytest.fail("memory grew")  # ~^ leak-check-on-reserved note


def test_allocated():
    start = torch.cuda.memory_allocated()
    run()
    assert torch.cuda.memory_allocated() - start < 2**20


def test_budget():
    run()
    assert torch.cuda.max_memory_reserved() < 8 * 2**30


def test_the_cache_is_given_back():
    start = torch.cuda.memory_reserved()
    torch.cuda.empty_cache()
    assert torch.cuda.memory_reserved() < start
    assert torch.cuda.memory_reserved() >= torch.cuda.memory_allocated()


def run():
    return None
