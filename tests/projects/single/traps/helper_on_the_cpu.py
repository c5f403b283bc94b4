import torch


def run(device="cuda"):
    return torch.zeros(1, device=device)


run("cpu")
run(device="cpu")
