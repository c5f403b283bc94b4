import os

import torch

from abc import ABC, abstractmethod

class Backend(ABC):
    @property
    @abstractmethod
    def mask(self):
        ...

    def apply(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = self.mask

class Cuda(Backend):
    def __init__(self, *cards):
        self.cards = list(cards)

    @property
    def mask(self):
        return ",".join(map(str, self.cards))

Cuda(0, 2).apply()
torch.cuda.init()
