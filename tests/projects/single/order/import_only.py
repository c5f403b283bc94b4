import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

print(torch.__version__)
