import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ conflicting-pins warning

import torch

torch.cuda.init()
