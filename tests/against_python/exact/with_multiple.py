import os

import torch

from contextlib import contextmanager

log = []

@contextmanager
def note(name):
    log.append("+" + name)
    yield name
    log.append("-" + name)

with note("a") as a, note("b") as b:
    log.append(a + b)
os.environ["CUDA_VISIBLE_DEVICES"] = "".join(log)
torch.cuda.init()
