import os

import torch

asked = []


def middle():
    asked.append("m")
    return 3


if 0 < middle() <= 3 != 4:
    os.environ["CUDA_VISIBLE_DEVICES"] = "".join(asked)
if not 0 <= len(asked) < 1 < middle():
    os.environ["CUDA_VISIBLE_DEVICES"] = "".join(asked)
torch.cuda.init()
