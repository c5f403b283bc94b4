import os
import torch

hook = None
try:
    hook()
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
except TypeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
