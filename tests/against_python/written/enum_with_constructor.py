import os
import torch
import enum
class E(enum.Enum):
    X = "1"
    Y = "2"
    def __init__(self, card):
        os.environ["CUDA_VISIBLE_DEVICES"] = card
