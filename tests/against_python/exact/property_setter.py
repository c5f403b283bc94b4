import os

import torch

class Options:
    def __init__(self):
        self._card = "0"

    @property
    def card(self):
        return self._card

    @card.setter
    def card(self, value):
        self._card = str(int(value) + 1)

options = Options()
options.card = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = options.card
torch.cuda.init()
