import os

import torch

a, b = "0", "1"
a, b = b, a
x = [1, 2, 3]
x[0], x[2] = x[2], x[0]
os.environ["CUDA_VISIBLE_DEVICES"] = a + str(x[0])
torch.cuda.init()
