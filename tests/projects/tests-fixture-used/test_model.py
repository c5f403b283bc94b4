import os

import pytest
import torch


@pytest.fixture
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    yield


@pytest.fixture
def model(pinned):
    return torch.nn.Linear(2, 2).cuda()


def test_model(model):  # ~ gpu-test-without-cleanup note
    assert model is not None
