import torch


def best():
    return "cuda" if torch.cuda.is_available() else "cpu"
