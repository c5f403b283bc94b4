import os

import torch

class Base:
    known = {}

    def __init_subclass__(cls, card="0", **kwargs):
        super().__init_subclass__(**kwargs)
        Base.known[cls.__name__] = card

class A(Base):
    pass

class B(Base, card="4"):
    pass

os.environ["CUDA_VISIBLE_DEVICES"] = Base.known["A"] + "," + Base.known["B"]
torch.cuda.init()
