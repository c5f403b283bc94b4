import os
import torch
import enum
class E(enum.Enum):
    X = "1"
    @classmethod
    def _missing_(cls, value):
        torch.cuda.init()
        return cls.X
E("1")
torch.cuda.current_device()
E("7")
