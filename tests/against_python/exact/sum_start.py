import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = str(sum([1, 1], 1))
torch.cuda.init()
