import os
import torch

try:
    first, second = ("1", "2", "3")
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
