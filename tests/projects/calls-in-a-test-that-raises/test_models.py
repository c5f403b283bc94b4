import torch
from models import Model


def test_names():
    Model()
    Model("median")


def test_score(device):  # ~ gpu-test-without-cleanup note
    # What the test before passed over says nothing about this call.
    model = Model("sum")
    rows = torch.ones(4)
    model.score(rows.to(device))  # ~ missing-visible-devices warning
