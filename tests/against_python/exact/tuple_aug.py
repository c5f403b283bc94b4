import os

import torch

a = b = ("0",)
a += ("1",)
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(a) + ",".join(b)
torch.cuda.init()
