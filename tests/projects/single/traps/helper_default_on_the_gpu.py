import torch


def run(device="cuda"):
    return torch.zeros(1, device=device)  # ~ missing-visible-devices warning


run()
