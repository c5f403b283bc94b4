"""Everything that would use the card is replaced."""
from unittest.mock import MagicMock, patch

import torch


@patch("torch.cuda.is_available", return_value=True)
@patch("torch.cuda.get_device_name", return_value="RTX 3090")
def test_name(name, available):
    assert torch.cuda.is_available()
    assert torch.cuda.get_device_name(0) == "RTX 3090"


def test_model():
    model = MagicMock()
    model.to("cuda:1")
    model.to.assert_called_with("cuda:1")


def test_patched(monkeypatch):
    monkeypatch.setattr(torch, "zeros", lambda *size, **options: options["device"])
    assert torch.zeros(1, device="cuda:1") == "cuda:1"
