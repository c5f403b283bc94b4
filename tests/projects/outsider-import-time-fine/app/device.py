from functools import lru_cache

import torch


@lru_cache(maxsize=1)
def has_gpu():
    return torch.cuda.is_available()


def buffer(device=None):
    return torch.zeros(16, device=device or ("cuda" if has_gpu() else "cpu"))
