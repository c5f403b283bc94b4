import os
from enum import Enum, Flag, IntEnum, auto

import torch


class Mode(Enum):
    CPU = 1
    GPU = "x"
    CUDA = "x"


class Card(IntEnum):
    A = auto()
    B = 3
    C = auto()


class Use(Flag):
    CPU = auto()
    GPU = auto()
    BOTH = CPU | GPU
    OTHER = auto()


os.environ["CUDA_VISIBLE_DEVICES"] = str(Mode.CPU) + f"{Mode.GPU}" + repr(Mode.CPU) + Mode.CUDA.name
os.environ["CUDA_VISIBLE_DEVICES"] = Mode.GPU.value + str(Mode.CPU.value) + str(len([one for one in Mode]))
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(card.value) for card in Card) + str(Card.C + 1)
os.environ["CUDA_VISIBLE_DEVICES"] = str(Use.GPU.value) + str(Use.OTHER.value)
if Mode("x") is Mode.CUDA and Mode.CPU != 1 and Card.B == 3:
    torch.cuda.init()
