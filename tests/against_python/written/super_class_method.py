import os
import torch
class A:
    items = ["1"]
    @classmethod
    def m(cls):
        cls.items.extend(["49"])
class B(A):
    items = ["36"]
    def m(self):
        super().m()
        os.environ["CUDA_VISIBLE_DEVICES"] = self.items[len(self.items) - 1]
b = B()
b.m()
torch.cuda.init()
