import os

import torch

class Guard:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.kind = kind.__name__ if kind else "none"
        return True

with Guard() as guard:
    raise ValueError
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
if guard.kind == "ValueError":
    torch.cuda.init()
