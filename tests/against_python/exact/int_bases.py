import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = str(int("0x2", 16) - 1)
torch.cuda.init()
