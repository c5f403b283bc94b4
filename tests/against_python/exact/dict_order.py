import os

import torch

table = {"b": 1, "a": 2}
table["c"] = 3
table["b"] = 4
del table["a"]
table["a"] = 5
os.environ["CUDA_VISIBLE_DEVICES"] = "".join(f"{k}{v}" for k, v in table.items())
torch.cuda.init()
