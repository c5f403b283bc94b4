"""Needs no GPU:

>>> import torch
"""
from __future__ import annotations

import typing
from typing import TYPE_CHECKING

import numba
from numba import njit

if TYPE_CHECKING:
    import torch
    from cupy import ndarray
if typing.TYPE_CHECKING:
    import cupy

SOURCE = "import torch"
NAMES = ["torch", "cupy"]


def on_gpu(values):
    import cupy as cp

    return cp.asarray(values)


async def async_on_gpu(values):
    import torch

    return torch.tensor(values)


class Lazy:
    def backend(self):
        import torch

        return torch

    @property
    def xp(self):
        import cupy

        return cupy


load = lambda: __import__("torch")

if __name__ == "__main__":
    import torch

    print(torch.__version__)
