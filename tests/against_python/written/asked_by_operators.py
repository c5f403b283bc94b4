import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


class Card:
    def __eq__(self, other):
        hit()
        return True

    __hash__ = None

    def __lt__(self, other):
        hit()
        return True

    def __delitem__(self, key):
        hit()

    def __neg__(self):
        return hit()

    def __abs__(self):
        return hit()

    def __round__(self, digits=None):
        return hit()

    def __reversed__(self):
        hit()
        return iter([])


card = Card()
card == 1
card != 1
card < card
card > card
card in [1, card]
del card[0]
-card
abs(card)
round(card)
reversed(card)


class Cards(dict):
    def __missing__(self, key):
        return hit()


Cards()["first"]

torch.cuda.init()
