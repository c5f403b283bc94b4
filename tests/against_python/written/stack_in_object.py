import contextlib
import os
import torch


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


class Session:
    def __init__(self):
        self.stack = contextlib.ExitStack()
        self.stack.callback(choose, "1")

    def close(self):
        self.stack.close()


session = Session()
with contextlib.ExitStack() as other:
    other.callback(choose, "3")
torch.cuda.init()
session.close()
torch.cuda.init()
