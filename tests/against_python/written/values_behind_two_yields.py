import os

import torch


def cards(tail):
    yield "a"
    yield "b"
    yield from filter(None, map(str, tail))


for card in cards(os.environ.get("NOBODY", "12")):
    if card == "2":
        os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
