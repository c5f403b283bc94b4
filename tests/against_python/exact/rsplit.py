import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "a/b/3".rsplit("/", 1)[-1]
torch.cuda.init()
