import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import pytest
import torch

pytest_plugins = ["tests.plugin"]


@pytest.fixture
def released():
    yield "cuda"
    torch.cuda.empty_cache()


@pytest.fixture
def released_in_turn(released):
    return released


@pytest.fixture
def not_released():
    torch.cuda.empty_cache()
    return "cuda"


@pytest.fixture
def released_by_finalizer(request):
    def release():
        torch.cuda.empty_cache()

    request.addfinalizer(release)
    return torch.nn.Linear(2, 2).cuda()


@pytest.fixture(params=[16, 32])
def conditionally_released(request):
    yield request.param
    if torch.cuda.is_available():
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
