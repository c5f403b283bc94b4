import os

default = os.environ.setdefault
default("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
default("CUDA_VISIBLE_DEVICES", "0")

import torch

torch.cuda.init()
