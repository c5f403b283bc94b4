import os

import service

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ conflicting-pins error, wrong-visible-devices error
import torch

print(torch.__version__)
