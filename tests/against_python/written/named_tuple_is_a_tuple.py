import os
import torch
from collections import namedtuple

Gpu = namedtuple("Gpu", ["index", "name"])
gpu = Gpu(2, "c")
if gpu == (2, "c") and isinstance(gpu, tuple) and gpu in [(1, "b"), gpu]:
    torch.cuda.init()
if gpu > (2, "b"):
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu.name
