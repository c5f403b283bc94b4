import os
from unittest.mock import patch

import pytest
import torch


@pytest.fixture
def no_gpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)


def test_on_the_cpu(no_gpu):
    assert not torch.cuda.is_available()


@patch.dict(os.environ, {"CUDA_VISIBLE_DEVICES": ""})
@patch("torch.cuda.is_available", return_value=True)
def test_mocked(asked):
    assert torch.cuda.is_available()


@pytest.mark.parametrize("device", ["cpu", "cuda:1"])
def test_names(device):
    assert device.startswith("c")
