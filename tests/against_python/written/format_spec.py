import os
import torch
class A:
    def __format__(self, spec):
        os.environ["CUDA_VISIBLE_DEVICES"] = spec
        return spec
format(A(), "1")
f"{A():2}"
"{:3}".format(A())
x = f"{A()!r}"
