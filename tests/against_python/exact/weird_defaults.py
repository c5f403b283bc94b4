import os

import torch

def make(name, *, device=None, **kw):
    device = device if device is not None else kw.get("dev", "4")
    return name + device

os.environ["CUDA_VISIBLE_DEVICES"] = make("a") + make("b", device="") + make("c", dev="7")
torch.cuda.init()
