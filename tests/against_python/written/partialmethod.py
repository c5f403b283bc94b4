import os
import torch
import functools
class A:
    def go(self, card):
        os.environ["CUDA_VISIBLE_DEVICES"] = card
    one = functools.partialmethod(go, "1")
A().one()
