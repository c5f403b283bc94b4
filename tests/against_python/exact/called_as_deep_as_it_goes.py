import os
import torch


def choose(left, taken, found):
    if left == 0:
        found.append(taken.copy())
    for card in range(taken[-1] if taken else 1, 4):
        if left >= card:
            taken.append(card)
            choose(left - card, taken, found)
            taken.pop()


found = []
choose(5, [], found)
os.environ["CUDA_VISIBLE_DEVICES"] = str(len(found))
os.environ["CUDA_DEVICE_ORDER"] = str(found[-1])
torch.cuda.init()
