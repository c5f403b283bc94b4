import os
from dataclasses import dataclass


@dataclass
class Base:
    mask: str = "0"

    def __post_init__(self):
        os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
        os.environ["CUDA_VISIBLE_DEVICES"] = self.mask


@dataclass
class Wide(Base):
    name: str = "wide"


Wide(mask="0,1")

import torch

torch.cuda.set_device(1)
torch.cuda.set_device(2)  # ~ device-outside-mask error
