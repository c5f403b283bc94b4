import os
import torch
class A:
    def __str__(self):
        torch.cuda.init()
        return "x"
    def __repr__(self):
        torch.cuda.current_device()
        return "y"
if f"{A()}" == "x":
    if f"{A()!r}" == "y":
        torch.zeros(1).cuda()
"{}".format(A())
print(A())
