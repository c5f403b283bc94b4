import os
import torch
from enum import StrEnum, auto


class Mode(StrEnum):
    CPU = auto()
    GPU = auto()


if Mode.GPU == "gpu":
    torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = Mode.CPU + "1"
