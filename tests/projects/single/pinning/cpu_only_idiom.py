import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
