import os

import torch

try:
    gpus = os.environ["CUDA_VISIBLE_DEVICES"]
except KeyError:
    torch.cuda.init()  # ~ missing-visible-devices note
