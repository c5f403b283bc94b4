import os
import random

import torch

CALLS = 0


def hit(*given, **named):
    global CALLS
    CALLS += 1
    os.environ["CUDA_VISIBLE_DEVICES"] = str(CALLS)
    return CALLS


import functools

kept = functools.lru_cache(hit)
kept()
kept()

torch.cuda.init()
