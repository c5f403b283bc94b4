import os
import torch

cards = {"a": "1"}
values = cards.values()
cards["b"] = "2"
for card in values:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
