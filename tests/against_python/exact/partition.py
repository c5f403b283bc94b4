import os

import torch

name, _, index = "cuda:2".partition(":")
if name == "cuda" and index.isdigit():
    os.environ["CUDA_VISIBLE_DEVICES"] = index
torch.cuda.init()
