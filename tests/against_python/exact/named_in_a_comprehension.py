import collections
import os
import torch

total = 0
sums = [total := total + card for card in range(5)]
os.environ["CUDA_VISIBLE_DEVICES"] = str(total) + str(sums[-1])


def last():
    found = [seen := card for card in (1, 2)]
    return seen + len(found)


os.environ["CUDA_VISIBLE_DEVICES"] = str(last())
torch.cuda.init()
