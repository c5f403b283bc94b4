import os
import torch


class Card:
    def __init__(self):
        self.next = None


class Ring:
    def __init__(self):
        self.first = None

    def __iter__(self):
        card = self.first
        while card:
            yield card
            card = card.next
            if card == self.first:
                break

    def count(self):
        return len(list(self))


ring = Ring()
one = Card()
one.next = one
ring.first = one
for _ in range(3):
    ring.count()
os.environ["CUDA_VISIBLE_DEVICES"] = str(ring.count())
other = Card()
other.next, one.next = one, other
os.environ["CUDA_VISIBLE_DEVICES"] = str(ring.count())
torch.cuda.init()
