import os

os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.cuda.init()
