import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
