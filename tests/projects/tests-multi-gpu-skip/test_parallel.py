import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ.setdefault("CUDA_VISIBLE_DEVICES", os.environ.get("TEST_GPUS", "0,1"))

import pytest
import torch

needs_two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
pytestmark = pytest.mark.gpu


@needs_two
def test_copy():  # ~ gpu-test-without-cleanup note
    torch.ones(1, device="cuda:1")


@pytest.mark.skipif("torch.cuda.device_count() < 2")
def test_move():  # ~ gpu-test-without-cleanup note
    torch.ones(1).to("cuda:1")


@pytest.mark.multi_gpu
def test_marked():  # ~ gpu-test-without-cleanup note
    torch.ones(1).to("cuda:1")
