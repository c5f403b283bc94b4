import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


import itertools

list(itertools.takewhile(lambda one: hit() < 2, [1, 2, 3]))
list(itertools.dropwhile(lambda one: hit() < 2, [1, 2, 3]))
list(itertools.filterfalse(hit, [1, 2, 3]))
list(itertools.accumulate([1, 2, 3], lambda one, other: hit()))
for key, group in itertools.groupby([1, 2, 3], key=hit):
    pass

torch.cuda.init()
