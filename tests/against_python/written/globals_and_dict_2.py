import os
class A:
    def __init__(self): self.mask = "1"
a = A()
a.__dict__["mask"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = a.mask
