import os

import torch

class Config:
    def __init__(self, **kwargs):
        self.gpu = kwargs.pop("gpu", "0")
        for key, value in kwargs.items():
            setattr(self, key, value)

    @classmethod
    def from_dict(cls, d):
        return cls(**d)

    def get(self, key, default=None):
        return getattr(self, key, default)

config = Config.from_dict({"gpu": "1", "order": "PCI_BUS_ID"})
os.environ["CUDA_VISIBLE_DEVICES"] = config.get("gpu")
os.environ["CUDA_DEVICE_ORDER"] = config.get("order", "x")
torch.cuda.init()
