import os
import torch

cards = []
for card in range(20):
    cards.append(card)
os.environ["CUDA_VISIBLE_DEVICES"] = str(cards[-1]) + str(list(range(12))[-1]) + str(sum(range(50)))
os.environ["CUDA_VISIBLE_DEVICES"] = str([card * 2 for card in range(40)][-1])
for card in range(30):
    if card == 17:
        break
os.environ["CUDA_VISIBLE_DEVICES"] = str(card)
torch.cuda.init()
