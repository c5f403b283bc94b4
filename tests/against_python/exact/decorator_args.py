import os

import torch

def pinned(gpu):
    def around(function):
        def inner(*a, **k):
            os.environ["CUDA_VISIBLE_DEVICES"] = gpu
            return function(*a, **k)
        return inner
    return around

@pinned("3")
def train():
    torch.cuda.init()

train()
