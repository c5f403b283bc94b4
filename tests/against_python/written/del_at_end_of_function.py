import os
import torch
class A:
    def __del__(self):
        torch.cuda.init()
def f():
    a = A()
f()
torch.cuda.current_device()
