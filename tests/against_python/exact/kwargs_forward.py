import os

import torch

def outer(*args, **kwargs):
    kwargs.setdefault("gpu", "1")
    return inner(*args, **kwargs)

def inner(a, gpu="0", extra=None):
    return f"{a}{gpu}{extra}"

os.environ["CUDA_VISIBLE_DEVICES"] = outer("x", extra=2)
torch.cuda.init()
