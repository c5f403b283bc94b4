import os

import torch

from functools import lru_cache

calls = []

@lru_cache(maxsize=None)
def card(name):
    calls.append(name)
    return str(len(calls))

card("a"); card("b"); card("a")
os.environ["CUDA_VISIBLE_DEVICES"] = card("c")
torch.cuda.init()
