"""The choice stands in a function that nobody calls, and in a branch that never runs."""
import os
from typing import TYPE_CHECKING


def choose():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


if TYPE_CHECKING:
    choose()

import torch

if __name__ == "__main__":
    torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning
