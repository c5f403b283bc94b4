import os

os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import torch

torch.ones(1)
