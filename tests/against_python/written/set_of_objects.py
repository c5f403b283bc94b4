import os
import torch


class Card:
    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name.lower() == other.name.lower()

    def __hash__(self):
        return hash(self.name.lower())


os.environ["CUDA_VISIBLE_DEVICES"] = str(len({Card("x"), Card("X"), Card("y")}))
torch.cuda.init()
