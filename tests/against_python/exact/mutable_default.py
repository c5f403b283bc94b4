import os

import torch

def add(card, cards=[]):
    cards.append(card)
    return cards

add("0")
add("1", [])
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(add("2"))
torch.cuda.init()
