import os
import torch
x = [1, 2, 3]
def g():
    torch.cuda.init()
    yield 5
x[0:1] = g()
if x[0] == 5:
    torch.cuda.current_device()
