import contextlib
import os
import sys
import torch


@contextlib.contextmanager
def pinned():
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    yield


@pinned()
def use():
    torch.cuda.init()


def cards():
    yield "2"
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
    yield "3"


given = cards()
for word in sys.argv:
    use()
    next(given, None)
    for card in given:
        os.environ["CUDA_VISIBLE_DEVICES"] = card
