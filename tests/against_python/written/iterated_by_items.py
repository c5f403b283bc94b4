import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


class Cards:
    def __getitem__(self, at):
        hit()
        if at > 1:
            raise IndexError
        return at


for card in Cards():
    pass
list(Cards())

torch.cuda.init()
