import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
first = dict(os.environ)
os.environ["CUDA_VISIBLE_DEVICES"] = "2"
second = os.environ.copy()
os.environ.clear()
os.environ.update(first)
torch.cuda.init()
os.environ.update(second)
