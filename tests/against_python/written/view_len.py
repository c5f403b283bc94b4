import os
import torch

cards = {"a": "1"}
keys = cards.keys()
del cards["a"]
if not keys:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
torch.cuda.init()
