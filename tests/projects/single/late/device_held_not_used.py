import os

import torch

DEVICE = torch.device("cuda:0")
DTYPE = torch.float16
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1, device=DEVICE, dtype=DTYPE)
