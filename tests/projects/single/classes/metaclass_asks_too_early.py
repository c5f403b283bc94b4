import os

import torch


class Checked(type):
    def __init__(cls, name, bases, body):
        super().__init__(name, bases, body)
        cls.on_gpu = torch.cuda.is_available()


class Base(metaclass=Checked):
    pass


os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
