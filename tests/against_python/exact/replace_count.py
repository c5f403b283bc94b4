import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "0-1-2".replace("-", ",", 1).split("-")[0]
torch.cuda.init()
