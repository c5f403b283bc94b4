import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import gc

import pytest
import torch


def test_forward():  # ~ gpu-test-without-cleanup note
    model = torch.nn.Linear(8, 8).cuda()
    out = model(torch.randn(2, 8, device="cuda"))
    assert out.shape == (2, 8)
    del model, out
    gc.collect()
    torch.cuda.empty_cache()


def test_forward_safe():
    model = torch.nn.Linear(8, 8).cuda()
    try:
        assert model(torch.randn(2, 8, device="cuda")).shape == (2, 8)
    finally:
        del model
        gc.collect()
        torch.cuda.empty_cache()


@pytest.fixture(scope="module")
def big():  # ~ gpu-fixture-without-teardown note
    return torch.zeros(1024, 1024, device="cuda")


def test_uses_big(big):
    assert big.numel() == 1024 * 1024
