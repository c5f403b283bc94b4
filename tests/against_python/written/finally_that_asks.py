import os
import torch


def work():
    done = False
    try:
        if os.environ.get("MODE"):
            raise ValueError
        done = True
    finally:
        if done:
            torch.cuda.init()
            os.environ["CUDA_VISIBLE_DEVICES"] = "1"


try:
    work()
except ValueError:
    pass
