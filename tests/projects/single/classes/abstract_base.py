import os
from abc import ABC, abstractmethod


class Backend(ABC):
    def start(self):
        self.prepare()
        self.load()

    @abstractmethod
    def prepare(self): ...

    @abstractmethod
    def load(self): ...


class Torch(Backend):
    def prepare(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = "0"

    def load(self):
        import torch

        torch.cuda.init()


Torch().start()
