import contextlib
import os
import random

import torch


@contextlib.contextmanager
def pinned():
    yield
    os.environ["CUDA_VISIBLE_DEVICES"] = "7"


def prepare():
    with pinned():
        if random.random() < 0.5:
            return 1
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    return 2


prepare()
torch.cuda.init()
