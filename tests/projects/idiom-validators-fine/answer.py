import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import sys

import torch

from app.answers import is_large_card

if __name__ == "__main__":
    if not is_large_card():
        print("another card")
        sys.exit(1)
    torch.zeros(4, device="cuda")
