import torch


def pick():
    return "cuda" if torch.cuda.is_available() else "cpu"
