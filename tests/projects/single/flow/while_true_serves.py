import os

import torch

while True:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = input("card? ")  # ~ pin-after-cuda-init error
    torch.zeros(1, device="cuda")
