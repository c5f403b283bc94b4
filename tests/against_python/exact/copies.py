import os

import torch

import copy

base = {"cards": ["0"], "n": 1}
shallow, deep = copy.copy(base), copy.deepcopy(base)
base["cards"].append("1")
base["n"] = 2
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(shallow["cards"]) + ";" + ",".join(deep["cards"]) + str(shallow["n"])
torch.cuda.init()
