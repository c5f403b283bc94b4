import os
from dataclasses import dataclass


@dataclass
class Config:
    gpu: str = "0"

    def apply(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.gpu
