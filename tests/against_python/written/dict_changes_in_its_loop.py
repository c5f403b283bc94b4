import os
import torch
d = {"a": 1}
try:
    for k in d:
        d["b"] = 2
    torch.cuda.init()
except RuntimeError:
    torch.cuda.current_device()
