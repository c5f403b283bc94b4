import os
import torch
class M(type):
    def __subclasscheck__(cls, o):
        torch.cuda.init()
        return True
class A(metaclass=M):
    pass
if issubclass(int, A):
    torch.cuda.current_device()
