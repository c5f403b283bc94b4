import torch

torch.cuda.current_device()  # ~ cuda-query-at-import note


def read(*names):
    return torch.load(*names, map_location="cuda")


def load(path, token):
    if token is None:
        raise ValueError(path)
    return read(path)
