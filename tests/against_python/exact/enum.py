import os

import torch

from enum import Enum, IntEnum, auto

class Device(Enum):
    CPU = auto()
    GPU = auto()

    @classmethod
    def of(cls, name):
        return cls[name.upper()]

class Rank(IntEnum):
    FIRST = 0
    LAST = 3

if Device.of("gpu") is Device.GPU and Device(1) == Device.CPU:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(Rank.LAST + 0)
torch.cuda.init()
