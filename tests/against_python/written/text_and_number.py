import os
import torch

try:
    name = "cuda" + 1
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except TypeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
