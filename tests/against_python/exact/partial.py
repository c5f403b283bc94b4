import os

import torch

from functools import partial

def choose(first, second, sep=","):
    return sep.join([first, second])

two = partial(choose, "0", sep="")
os.environ["CUDA_VISIBLE_DEVICES"] = partial(two, sep=",")("3")
torch.cuda.init()
