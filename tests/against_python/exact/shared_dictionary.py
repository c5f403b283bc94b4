import os
import torch


class Shared:
    held = {}

    def __init__(self):
        self.__dict__ = self.held


one, other = Shared(), Shared()
one.card = "1"
other.card = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = one.card
torch.cuda.init()
