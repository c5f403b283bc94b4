import os

import torch

class Base:
    def __init__(self, card="0"):
        self.card = card

    def mask(self):
        return self.card

class Plus(Base):
    def __init__(self, *args, plus="", **kwargs):
        super().__init__(*args, **kwargs)
        self.plus = plus

    def mask(self):
        return super().mask() + self.plus

class Twice(Base):
    def mask(self):
        return super().mask() * 2

class Both(Plus, Twice):
    pass

os.environ["CUDA_VISIBLE_DEVICES"] = Both("1", plus=",2").mask()
torch.cuda.init()
