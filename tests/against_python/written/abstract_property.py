import os
import torch
import abc
class Base(abc.ABC):
    @abc.abstractmethod
    def run(self): ...
    @property
    @abc.abstractmethod
    def name(self): ...
class A(Base):
    name = "a"
    def run(self): torch.cuda.init()
class B(Base):
    def run(self): torch.cuda.current_device()
A().run()
try:
    B().run()
except TypeError:
    torch.zeros(1).cuda()
