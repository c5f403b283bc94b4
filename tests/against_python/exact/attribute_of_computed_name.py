import os

import torch


class Field:
    def __set_name__(self, owner, name):
        self.private = "_" + name

    def __get__(self, thing, owner):
        return getattr(thing, self.private)

    def __set__(self, thing, value):
        setattr(thing, self.private, value)


class Card:
    index = Field()

    def __init__(self, index):
        self.index = index


card = Card("3")
os.environ["CUDA_VISIBLE_DEVICES"] = card.index + card._index
torch.cuda.init()
