import os

import torch


class Base:
    def __init__(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error


class Trainer(Base):
    def __init__(self):
        self.x = torch.zeros(1, device="cuda")
        super().__init__()


Trainer()
