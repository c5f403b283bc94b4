import os
import torch
class M(type):
    def __instancecheck__(cls, o):
        torch.cuda.init()
        return True
class A(metaclass=M):
    pass
if isinstance(3, A):
    torch.cuda.current_device()
