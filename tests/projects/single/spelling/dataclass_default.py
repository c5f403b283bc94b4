import os

from dataclasses import dataclass


@dataclass
class Config:
    gpu: str = "0"


config = Config()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = config.gpu  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
