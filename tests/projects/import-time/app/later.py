import functools

import torch


@functools.lru_cache
def pick():
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(torch.nn.Module):
    def __init__(self, device=None):
        super().__init__()
        self.device = device or pick()


def __getattr__(name):
    if name == "DEVICE":
        return pick()
    raise AttributeError(name)


DOC = "torch.cuda.is_available()"
make = lambda: torch.ones(1, device="cuda")
