import os

GPU_ID = 0
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = f"{GPU_ID}"  # ~ wrong-visible-devices error

import torch
