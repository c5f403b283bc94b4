import os

import torch

names = {}
for i, name in enumerate(["a", "b"]):
    names.setdefault(name, []).append(i)
    names[name] += [i + 1]
os.environ["CUDA_VISIBLE_DEVICES"] = str(names["b"][1])
torch.cuda.init()
