import os
import torch

cards = [1, 2]
try:
    cards[5] = 3
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
except IndexError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
torch.cuda.init()
