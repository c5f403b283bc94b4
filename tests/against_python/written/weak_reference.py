import os
import torch
import weakref
class A: pass
a = A()
def done(r):
    torch.cuda.init()
f = weakref.ref(a, done)
del a
