import os
import torch


def cards():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    yield "2"


given = cards()
list(given)
os.environ["CUDA_VISIBLE_DEVICES"] = "3"
list(given)
torch.cuda.init()
