import os
import torch
import abc
class A(abc.ABC):
    @abc.abstractmethod
    def f(self):
        torch.cuda.init()
class B(A):
    def f(self):
        super().f()
        torch.cuda.current_device()
B().f()
try:
    A()
    torch.zeros(1).cuda()
except TypeError:
    torch.cuda.is_available()
