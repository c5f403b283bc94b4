"""The engine asks for its device with a default."""
import torch


def load(options, device="cuda:0"):
    device = options.get("device", "cuda:0")
    if device == "cuda:1":
        raise ValueError("cuda:1 is the other card")
    return torch.nn.Linear(80, 80).to(device)
