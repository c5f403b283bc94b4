import os

import torch

cards = "01234567"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cards[::-2][:2]) + cards[-1:] + cards[5:2]
torch.cuda.init()
