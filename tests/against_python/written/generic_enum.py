import enum
import os

import torch


class Card(enum.Enum):
    FIRST = "1"


if Card["FIRST"] is Card.FIRST:
    torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = Card[str("FIRST")].value
