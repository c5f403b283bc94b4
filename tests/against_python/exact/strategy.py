import os

import torch

class Cpu:
    def setup(self): os.environ["CUDA_VISIBLE_DEVICES"] = ""

class Gpu:
    def __init__(self, n=0): self.n = n
    def setup(self): os.environ["CUDA_VISIBLE_DEVICES"] = str(self.n)

STRATEGIES = dict(cpu=Cpu, gpu=Gpu)
def make(name, **kw): return STRATEGIES[name](**kw)

make("gpu", n=3).setup()
torch.cuda.init()
