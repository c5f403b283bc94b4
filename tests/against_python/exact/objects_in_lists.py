import os
import torch


class Card:
    pass


class Watcher:
    def __init__(self):
        self.cards = []

    def add(self, card):
        if card not in self.cards:
            self.cards.append(card)


one, two = Card(), Card()
watcher = Watcher()
for card in (one, two, one):
    watcher.add(card)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(watcher.cards))
watcher.cards.remove(two)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(watcher.cards)) + str(watcher.cards[0] is one)
os.environ["CUDA_VISIBLE_DEVICES"] = str([two, one].index(one)) + str(one == two)
torch.cuda.init()
