import os
import torch


def found():
    return None


try:
    found().group(0)
    torch.cuda.init()
except AttributeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
