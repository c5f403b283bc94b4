import os

import torch

def mask(gpus):
    if gpus is None:
        return ""
    if isinstance(gpus, int):
        return str(gpus)
    if isinstance(gpus, str):
        return gpus.replace("cuda:", "")
    if isinstance(gpus, (list, tuple)):
        return ",".join(mask(g) for g in gpus)
    raise TypeError(gpus)

os.environ["CUDA_VISIBLE_DEVICES"] = mask([1, "cuda:2", (3,)]) + mask(None)
torch.cuda.init()
