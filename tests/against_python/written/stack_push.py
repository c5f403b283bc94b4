import contextlib
import os
import torch


class Pin:
    def __enter__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    def __exit__(self, *error):
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"


def leave(kind, error, trace):
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"


with contextlib.ExitStack() as stack:
    stack.push(Pin())
    stack.push(leave)
torch.cuda.init()
