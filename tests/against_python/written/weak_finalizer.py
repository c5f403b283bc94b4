import os
import torch
import weakref
class A: pass
a = A()
def done():
    torch.cuda.init()
f = weakref.finalize(a, done)
del a
