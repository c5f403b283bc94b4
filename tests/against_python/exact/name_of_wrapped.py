import functools
import os
import torch
def deco(fn):
    @functools.wraps(fn)
    def wrapper(*a):
        return fn(*a)
    return wrapper
def plain(fn):
    def inner(*a):
        return fn(*a)
    return inner
@deco
def work(x):
    return x
@plain
def other(x):
    return x
@plain
@deco
def third(x):
    return x
os.environ["CUDA_VISIBLE_DEVICES"] = work.__name__ + other.__name__ + third.__name__
torch.cuda.init()
