import os
import torch


def work(table):
    print(table["a"].missing)
    os.environ["CUDA_VISIBLE_DEVICES"] = "4"


try:
    work({"a": "1"})
except AttributeError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
torch.cuda.init()
