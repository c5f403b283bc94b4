import os
from typing import NamedTuple


class Settings(NamedTuple):
    mask: str = "0"
    order: str = "PCI_BUS_ID"


settings = Settings()
os.environ["CUDA_DEVICE_ORDER"] = settings.order
os.environ["CUDA_VISIBLE_DEVICES"] = settings.mask

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
