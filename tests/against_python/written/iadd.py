import os

import torch

class Mask:
    def __init__(self, *cards):
        self.cards = cards

    def __add__(self, other):
        return Mask(*self.cards, *other.cards)

    def __or__(self, card):
        return self + Mask(card)

    def __iadd__(self, other):
        return Mask(*other.cards)

    def __str__(self):
        return ",".join(self.cards)

mask = Mask("0") + Mask("1") | "5"
copy = mask
mask += Mask("7")
os.environ["CUDA_VISIBLE_DEVICES"] = str(mask) + f";{copy}"
torch.cuda.init()
