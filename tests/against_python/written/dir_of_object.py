import os
import torch
class A:
    def run_x(self):
        torch.cuda.init()
    def other(self):
        torch.cuda.current_device()
a = A()
for name in dir(a):
    if name.startswith("run_"):
        getattr(a, name)()
