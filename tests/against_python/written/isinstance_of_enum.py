import enum
import os
import torch


class Card(enum.Enum):
    FIRST = "0"
    SECOND = 1


class Named(str, enum.Enum):
    THIRD = "3"


def choose(card):
    if isinstance(card, str):
        os.environ["CUDA_VISIBLE_DEVICES"] = "7"
    elif isinstance(card, Card):
        os.environ["CUDA_VISIBLE_DEVICES"] = "6"
    elif isinstance(card, int):
        os.environ["CUDA_VISIBLE_DEVICES"] = "5"


choose(Card.FIRST)
torch.cuda.init()
choose(Card.SECOND)
torch.cuda.init()
choose(Named.THIRD)
torch.cuda.init()
choose("x")
