import os

import torch

def one():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

def two(card="2"):
    os.environ["CUDA_VISIBLE_DEVICES"] = card

TABLE = {"one": one, "two": two, "three": lambda: two("3")}
TABLE.get("four", TABLE["three"])()
torch.cuda.init()
