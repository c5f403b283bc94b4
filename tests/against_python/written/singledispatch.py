import functools
import os
import torch


@functools.singledispatch
def choose(what):
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


@choose.register
def _(what: int):
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"


@choose.register(str)
def _(what):
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"


choose(7)
torch.cuda.init()
choose("x")
