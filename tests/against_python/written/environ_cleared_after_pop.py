import os

import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "2,0"
saved = os.environ.copy()
try:
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
finally:
    os.environ.clear()
    os.environ.update(saved)
torch.cuda.init()
