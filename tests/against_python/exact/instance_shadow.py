import os

import torch

class Options:
    cards = []
    card = "0"

one, two = Options(), Options()
one.cards.append("1")
one.card = "5"
del one.card
two.card = "6"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(two.cards) + one.card + two.card
torch.cuda.init()
