import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
saved = dict(os.environ)
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
os.environ.clear()
os.environ.update(saved)
torch.cuda.init()
