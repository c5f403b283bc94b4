from unittest import mock
from unittest.mock import patch

import torch

from service import pick


@patch("torch.cuda.is_available", return_value=False)
def test_cpu(available):
    assert pick() == "cpu"


def test_label(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert pick() == "cpu"
