import os
import torch
class A:
    def __del__(self):
        torch.cuda.init()
a = A()
del a
torch.cuda.current_device()
