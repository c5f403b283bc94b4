import os
import torch

empty = iter([])
try:
    next(empty)
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except StopIteration:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
