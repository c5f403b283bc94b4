import contextlib
import os
import torch


def choose(card):
    os.environ["CUDA_VISIBLE_DEVICES"] = card


with contextlib.ExitStack() as stack:
    stack.callback(choose, "1")
    kept = stack.pop_all()
torch.cuda.init()
kept.close()
