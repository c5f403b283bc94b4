import torch


def test_one(clean):
    torch.zeros(1, device="cuda")  # ~ missing-visible-devices note


def test_two(clean):
    torch.zeros(2, device="cuda")


def test_three(clean):
    torch.zeros(3, device="cuda")
