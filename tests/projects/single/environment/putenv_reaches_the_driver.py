import os

os.putenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.putenv("CUDA_VISIBLE_DEVICES", "0")

import torch

torch.cuda.init()
