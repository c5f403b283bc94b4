import os

os.environb[b"CUDA_VISIBLE_DEVICES"] = b"0"
os.environb[b"CUDA_DEVICE_ORDER"] = b"PCI_BUS_ID"

import torch

torch.cuda.init()
