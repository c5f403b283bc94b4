import os, random, sys, torch
class O:
    cards = []
def add(o=O(), c="1"):
    o.cards.append(c)
    return o
add(); add(c="2")
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(O.cards)
torch.cuda.init()
