import os

from dataclasses import dataclass


@dataclass
class Setup:
    gpu: str = "1"

    def __post_init__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.gpu


Setup()

import torch

torch.ones(1).cuda()
