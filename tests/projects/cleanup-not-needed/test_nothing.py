import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import subprocess
import sys
from unittest import mock
from unittest.mock import MagicMock, Mock, patch

import pytest
import torch

import service


class FakeModel:
    def cuda(self):
        return self

    def to(self, device):
        self.device = device
        return self


def test_fake():
    assert FakeModel().cuda().to("cuda").device == "cuda"


def test_mock():
    model = MagicMock(name="model")
    model.cuda()
    model.return_value.to("cuda")
    Mock().cuda()


def test_mocker(mocker):
    model = mocker.MagicMock()
    model.to("cuda")
    mocker.patch("service.load")
    service.load("model.pt")


@patch("service.load")
def test_patched(load):
    load.return_value.cuda()
    assert service.load("model.pt")


@mock.patch.object(service.Engine, "load")
def test_patched_method(load):
    service.Engine().load()
    load.assert_called_once_with()


def test_patched_inside():
    with patch("service.load") as load:
        service.load("model.pt")
        load.cuda()


def test_monkeypatched(monkeypatch):
    monkeypatch.setattr(service, "load", lambda name: None)
    service.load("model.pt")


def test_meta():
    assert torch.empty(2, device="meta").is_meta


def test_names_only():
    device = torch.device("cuda:0")
    assert device.type == "cuda"
    assert torch.cuda.memory_allocated() == 0


def test_cpu():
    assert torch.ones(2, device="cpu").to("cpu").sum() == 2


def test_skips_itself():
    pytest.skip("one day")
    torch.ones(2, device="cuda")


@pytest.mark.skip
def test_skipped():
    torch.ones(2, device="cuda")


def test_child():
    subprocess.run([sys.executable, "-c", "import torch; torch.ones(1).cuda()"], check=True)


def helper():
    return torch.ones(2, device="cuda")
