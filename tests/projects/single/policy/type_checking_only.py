from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def shape(tensor: torch.Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


print("ready")
