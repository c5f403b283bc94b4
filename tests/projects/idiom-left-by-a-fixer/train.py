import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from app import legacy

legacy.select()

import torch

if __name__ == "__main__":
    torch.zeros(4, device="cuda")
