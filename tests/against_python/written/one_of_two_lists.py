import os
import torch


class Card:
    def use(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        torch.cuda.init()


one, other = Card(), Card()
cards = [one, other]
try:
    cards.remove(other)
except ValueError:
    pass
for card in cards:
    card.use()
