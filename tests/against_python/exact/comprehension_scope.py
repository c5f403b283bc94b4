import os

import torch

n = 7
numbers = [n for n in range(3)]
table = {n: m for n, m in zip("ab", numbers)}
os.environ["CUDA_VISIBLE_DEVICES"] = str(n) + str(table["b"])
torch.cuda.init()
