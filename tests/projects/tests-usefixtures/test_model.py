import os

import pytest


@pytest.fixture
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


@pytest.mark.usefixtures("pinned")
def test_model():  # ~ gpu-test-without-cleanup note
    import torch

    torch.nn.Linear(2, 2).cuda()
