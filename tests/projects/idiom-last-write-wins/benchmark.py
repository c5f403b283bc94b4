"""The choice stands in a dictionary, the last one in a loop."""
import os

CHOICES = ["1", "0"]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for choice in CHOICES:
    os.environ["CUDA_VISIBLE_DEVICES"] = choice  # ~ wrong-visible-devices error, conflicting-pins error

import torch

if __name__ == "__main__":
    print(torch.zeros(4, device="cuda").sum())
