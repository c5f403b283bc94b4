import os

import torch


class Base:
    def __init__(self):
        self.__card = "1"

    def __name(self):
        return "base"

    def base(self):
        return self.__card + self.__name()


class Sub(Base):
    def __init__(self):
        super().__init__()
        self.__card = "2"

    def __name(self):
        return "sub"

    def sub(self):
        return self.__card + self.__name()


one = Sub()
os.environ["CUDA_VISIBLE_DEVICES"] = one.base() + one.sub() + one._Base__card
if not hasattr(one, "__card"):
    torch.cuda.init()
