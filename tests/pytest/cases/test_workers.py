"""Tests that pytest-xdist hands to two workers."""

import os
import time

import pytest

KEPT = []


@pytest.mark.parametrize("number", range(6))
def test_clean_on_a_card(number):
    import torch

    # Long enough that both workers get some.
    time.sleep(0.05)
    torch.zeros(1000, device="cuda:0")
    assert torch.cuda.device_count() == 1
    print(os.environ["CUDA_VISIBLE_DEVICES"])


def test_leak_in_a_worker():
    import torch

    KEPT.append(torch.zeros(1000, 1000, device="cuda:0"))
