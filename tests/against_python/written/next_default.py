import os
import torch

cards = iter(["1"])
next(cards)
os.environ["CUDA_VISIBLE_DEVICES"] = next(cards, "0")
try:
    next(cards)
    torch.cuda.init()
except StopIteration:
    os.environ["CUDA_VISIBLE_DEVICES"] = "5"
torch.cuda.init()
