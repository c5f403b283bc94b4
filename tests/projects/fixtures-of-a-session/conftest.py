"""Fixtures that live longer than a test."""

import gc

import pytest
import torch
from transformers import AutoModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


@pytest.fixture(autouse=True)
def clean():
    yield
    gc.collect()
    torch.cuda.empty_cache()


@pytest.fixture(scope="session")
def model():  # ~ gpu-fixture-without-teardown note
    model = AutoModel.from_pretrained("tiny")
    model = model.to(device)
    model.eval()
    return model


@pytest.fixture(scope="module")
def pair():  # ~ gpu-fixture-without-teardown note
    yield {"weights": torch.ones(4, device=device), "name": "pair"}


@pytest.fixture(scope="module")
def released():
    tensor = torch.ones(4).cuda()
    yield tensor
    del tensor
    gc.collect()
    torch.cuda.empty_cache()


@pytest.fixture(scope="session")
def on_the_cpu():
    return AutoModel.from_pretrained("tiny").eval()


@pytest.fixture(scope="session")
def chosen():
    return device


@pytest.fixture(scope="session")
def maker():
    def make():
        return torch.ones(4, device="cuda")

    return make


@pytest.fixture
def short():
    return torch.ones(4, device="cuda")
