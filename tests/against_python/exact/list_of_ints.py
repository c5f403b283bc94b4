import os

import torch

gpus = [int(g) for g in "0,3".split(",")]
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(g) for g in gpus)
if len(gpus) > 1:
    torch.cuda.init()
