import os

import torch


class Manager:
    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
            torch.cuda.set_device(0)
        return cls._only


manager = Manager()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
