import contextlib
import os
import torch


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


stack = contextlib.ExitStack()
stack.callback(choose, "1")
stack.callback(choose, "2")
torch.cuda.init()
stack.close()
torch.cuda.init()
