from typing import TYPE_CHECKING

from core.tables import table

if TYPE_CHECKING:
    import torch


def show(tensor: "torch.Tensor"):
    return table(tensor)
