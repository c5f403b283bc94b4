import os

import torch

REGISTRY = {}

def register(name=None):
    def add(cls):
        REGISTRY[name or cls.__name__.lower()] = cls
        return cls
    return add

@register()
class Cpu:
    mask = ""

@register("cuda")
class Gpu:
    mask = "1"

    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)

runner = REGISTRY["cuda"](mask="3")
os.environ["CUDA_VISIBLE_DEVICES"] = runner.mask + REGISTRY["cpu"].mask
torch.cuda.init()
