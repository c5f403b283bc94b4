import os
import torch


class Card:
    def __enter__(self):
        pass

    def __exit__(self, kind, error, trace):
        torch.cuda.init()


try:
    with Card():
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        if os.environ.get("MODE"):
            raise ValueError
        os.environ["CUDA_VISIBLE_DEVICES"] = "2"
except ValueError:
    pass
