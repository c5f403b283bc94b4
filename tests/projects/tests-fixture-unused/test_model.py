import os

import pytest
import torch


@pytest.fixture
def pinned():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


def test_model():  # ~ gpu-test-without-cleanup note
    torch.nn.Linear(2, 2).cuda()  # ~ missing-visible-devices warning
