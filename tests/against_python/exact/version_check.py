import os

import torch

VERSION = "1.13.1+cu117"
major, minor = (int(part) for part in VERSION.split("+")[0].split(".")[:2])
if (major, minor) >= (1, 12):
    os.environ["CUDA_VISIBLE_DEVICES"] = str(major)
torch.cuda.init()
