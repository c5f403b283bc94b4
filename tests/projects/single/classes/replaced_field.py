import os
from dataclasses import dataclass, replace


@dataclass
class Settings:
    mask: str = "1"


settings = replace(Settings(), mask="0")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = settings.mask

import torch

torch.cuda.set_device(0)
