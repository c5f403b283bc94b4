"""Chooses the right card; a module that it imports knows better."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from app.defaults import RATE

import torch

if __name__ == "__main__":
    print(torch.zeros(RATE, device="cuda").sum())
