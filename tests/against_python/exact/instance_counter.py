import os

import torch

class Card:
    count = 0

    def __init__(self):
        type(self).count += 1
        self.number = self.count

class Sub(Card):
    pass

Card(); Sub(); last = Sub()
os.environ["CUDA_VISIBLE_DEVICES"] = f"{Card.count}{Sub.count}{last.number}"
torch.cuda.init()
