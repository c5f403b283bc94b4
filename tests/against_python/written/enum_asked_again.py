import os
import torch
from enum import Enum


class Kind(Enum):
    CUDA = "cuda"
    ROCM = "rocm"
    NONE = None


TABLE = {Kind.CUDA: "1", Kind.ROCM: "2"}


def mask(kind):
    if kind == Kind.CUDA:
        return TABLE[kind]
    return TABLE.get(kind, "none")


for kind in Kind:
    os.environ["CUDA_VISIBLE_DEVICES"] = mask(kind)
torch.cuda.init()
