import os
import torch


def work(card):
    try:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        if os.environ.get("MODE"):
            raise ValueError
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    finally:
        torch.cuda.init()


try:
    work("1")
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
