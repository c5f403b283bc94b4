import torch


def second():
    if torch.cuda.device_count() < 2:
        return torch.device("cuda:0")
    return torch.device("cuda:1")


def pick():
    if torch.cuda.device_count() >= 2:
        return torch.device("cuda:1")
    return torch.device("cuda:0")
