import os
import torch

cards = ["1"]
try:
    where = cards.index("2")
    torch.cuda.init()
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
