import os
import sys
import torch


def work():
    try:
        if os.environ.get("MODE"):
            sys.exit(1)
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    finally:
        print("done")


work()
torch.cuda.init()
