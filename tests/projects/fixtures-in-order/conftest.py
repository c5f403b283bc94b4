import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    yield


@pytest.fixture
def tensor(pinned):
    import torch

    return torch.zeros(1, device="cuda")
