import os
import torch

cards = ["1"]
try:
    cards.remove("2")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
