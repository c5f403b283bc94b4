"""The engine asks for its device with a default."""
import torch


def load(options, device="cuda:1"):  # ~ device-outside-mask error
    device = options.get("device", "cuda:1")  # ~ device-outside-mask error
    return torch.nn.Linear(80, 80).to(device)
