import os
import torch

cards = ["1"]
try:
    more = cards + 1
    torch.cuda.init()
except TypeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
