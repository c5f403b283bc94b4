import os
import time

import torch


class Quiet:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return time.time() % 2 < 1


try:
    with Quiet():
        raise KeyError("x")
    os.environ["CUDA_VISIBLE_DEVICES"] = "3"
    torch.cuda.init()
except Exception:
    pass
