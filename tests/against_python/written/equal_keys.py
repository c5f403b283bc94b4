import os

import torch

class Card:
    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name.lower() == other.name.lower()

    def __hash__(self):
        return hash(self.name.lower())

table = {Card("A"): "1"}
table[Card("a")] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = table[Card("A")]
if len(table) == 1:
    torch.cuda.init()
