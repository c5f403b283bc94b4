import torch


def has_bf16():
    return torch.cuda.get_device_capability() >= (8, 0)


NAMES = {(7, 5): "Turing", (8, 0): "Ampere", (8, 9): "Ada Lovelace", (9, 0): "Hopper", (12, 0): "Blackwell"}


def generation():
    major, minor = torch.cuda.get_device_capability()
    if (major, minor) in ((8, 0), (8, 6)):
        return "Ampere"
    if (major, minor) >= (9, 0):
        return "Hopper or newer"
    return "older"
