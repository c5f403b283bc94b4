import os
import torch


def cards():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    yield "2"


pairs = zip(cards(), ["a"])
torch.cuda.init()
list(pairs)
