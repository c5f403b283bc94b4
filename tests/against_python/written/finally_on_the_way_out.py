import os
import sys
import torch


def work():
    try:
        if len(sys.argv) > 1:
            raise KeyError("b")
        os.environ["CUDA_VISIBLE_DEVICES"] = "3"
    finally:
        torch.cuda.init()


work()
