import os
from functools import lru_cache


@lru_cache(maxsize=None)
def environment():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    return "ready"


environment()

import torch

torch.cuda.init()
