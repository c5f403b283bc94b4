"""The helper is kept by a cache, called in a class body, and has a helper of its own."""
import functools
import os


def _export(**variables):
    for name, value in variables.items():
        os.environ[name] = str(value)


@functools.lru_cache(maxsize=None)
def _setup(card=1):
    def inner():
        _export(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES=card)

    inner()
    return card


class Job:
    card = _setup()


import torch

print(torch.zeros(2, device="cuda").sum())
