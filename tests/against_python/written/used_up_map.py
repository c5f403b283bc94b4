import os
import torch


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card
    return card


chosen = map(choose, ["1", "2"])
print(list(chosen))
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(list(chosen))
torch.cuda.init()
