from unittest import mock

import pytest
import torch


@pytest.fixture(autouse=True)
def clean():
    yield
    torch.cuda.empty_cache()


@mock.patch("torch.cuda.is_available", return_value=True)
def test_reports(is_available):
    assert torch.cuda.is_available()


def test_text():
    assert "cuda:1" in str(["cuda:1"])


def test_moves_nothing():
    model = mock.MagicMock()
    model.cuda()
    model.to("cuda:1")
    model.to.assert_called_with("cuda:1")
