import os
import torch

cards = iter(["1", "2"])
for card in cards:
    print(card)
for card in cards:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
