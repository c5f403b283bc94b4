import os
from typing import Generic, TypeVar

import torch

T = TypeVar("T")


class Box(Generic[T]):
    def __init__(self, card):
        os.environ["CUDA_VISIBLE_DEVICES"] = card


class Pair(Box[int]):
    def __init__(self, card):
        super().__init__(card)
        torch.cuda.init()


class Asked:
    def __class_getitem__(cls, key):
        torch.cuda.current_device()
        return cls


Box[int]("1")
Pair("2")
Asked[int]
