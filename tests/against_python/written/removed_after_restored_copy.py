import os

import torch

old = os.environ.copy()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ.clear()
os.environ.update(old)
try:
    del os.environ["CUDA_VISIBLE_DEVICES"]
except KeyError:
    pass
else:
    torch.cuda.init()
