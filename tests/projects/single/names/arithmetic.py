import os

FIRST = 3
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(FIRST - 3)

import torch

card = FIRST // 2
torch.zeros(1, device=f"cuda:{card}")  # ~ device-outside-mask error
torch.zeros(1, device=f"cuda:{card - 1}")
