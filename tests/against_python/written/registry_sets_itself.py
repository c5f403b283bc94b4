import collections
import os

import torch


class Registry(collections.UserDict):
    def __setitem__(self, name, function):
        os.environ["CUDA_VISIBLE_DEVICES"] = name
        super().__setitem__(name, function)


def use():
    torch.cuda.init()


MODELS = Registry()
MODELS["1"] = use
MODELS["1"]()
