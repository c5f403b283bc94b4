import os

import torch

class A:
    gpu = "0"

a = A()
a.gpu = "1"
A.gpu = "2"
delattr(a, "gpu")
os.environ["CUDA_VISIBLE_DEVICES"] = a.gpu
torch.cuda.init()
