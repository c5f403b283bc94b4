import os
import torch


def work(card):
    try:
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"
        check()
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    finally:
        torch.cuda.init()


def check():
    if os.environ.get("MODE"):
        raise ValueError


try:
    work("1")
except ValueError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
