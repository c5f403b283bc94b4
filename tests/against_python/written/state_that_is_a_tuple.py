import copy
import os
import pickle

import torch


def chosen(*cards):
    os.environ["CUDA_VISIBLE_DEVICES"] = "called"


class Choice:
    def __init__(self, how, card):
        self.how = how
        self.card = card

    def __getstate__(self):
        return self.how, (self.card + 1,)

    def __setstate__(self, state):
        self.how, (self.card,) = state


class Single:
    def __reduce__(self):
        return "single"


single = Single()
first = Choice(chosen, 2)
second = copy.copy(first)
third = pickle.loads(pickle.dumps(first))
os.environ["CUDA_VISIBLE_DEVICES"] = str(second.card)
torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = str(third.card)
os.environ["CUDA_VISIBLE_DEVICES"] = "same" if copy.copy(single) is single else "other"
