import pytest


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")  # ~ pin-after-gpu-import note
