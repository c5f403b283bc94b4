import os
import torch


class Variable:
    def __init__(self, name):
        self.name = name

    def __get__(self, thing, owner):
        return os.environ.get(self.name)

    def __delete__(self, thing):
        del os.environ[self.name]


class Settings:
    mask = Variable("CUDA_VISIBLE_DEVICES")


os.environ["CUDA_VISIBLE_DEVICES"] = "1"
settings = Settings()
torch.cuda.init()
del settings.mask
