import os

import torch


def cards(end):
    try:
        yield "1"
        yield "2"
    finally:
        os.environ["CUDA_VISIBLE_DEVICES"] = end


kept = cards("3")
for card in kept:
    break
torch.cuda.is_available()

raised = cards("4")
try:
    for number, card in enumerate(raised):
        raise ValueError(card)
except ValueError:
    pass

for card in cards("5"):
    break
torch.cuda.init()
