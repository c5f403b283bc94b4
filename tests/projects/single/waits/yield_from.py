import os

import torch


def inner():
    yield torch.zeros(1).cuda()


def outer():
    yield from inner()


for batch in outer():
    print(batch)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
