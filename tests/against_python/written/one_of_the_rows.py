import os
import random
import torch


class Card:
    def __init__(self):
        self.load = 0


rows = [[0, 0], [0, 0]]
cards = [Card(), Card()]
at = 0 if random.random() < 0.5 else 1
rows[at][0] = 5
cards[at].load = 7
os.environ["CUDA_VISIBLE_DEVICES"] = str(rows[0][0])
os.environ["CUDA_DEVICE_ORDER"] = str(cards[1].load)
torch.cuda.init()
