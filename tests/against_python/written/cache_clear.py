import functools
import os


@functools.lru_cache
def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


choose("1")
choose("2")
choose.cache_clear()
choose("1")
import torch

torch.cuda.init()
