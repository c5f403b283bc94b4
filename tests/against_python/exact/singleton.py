import os

import torch

class Manager:
    _instance = None

    def __new__(cls, *args, **kwargs):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.ready = False
        return cls._instance

    def __init__(self, gpu="0"):
        if not self.ready:
            self.gpu = gpu
            self.ready = True

Manager("2")
os.environ["CUDA_VISIBLE_DEVICES"] = Manager("5").gpu
torch.cuda.init()
