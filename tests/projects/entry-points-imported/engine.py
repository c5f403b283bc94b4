import torch


def start():
    return torch.ones(1, device="cuda:0")
