"""Two cards are visible, so there is an index 1."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"

import torch

if __name__ == "__main__":
    for index in range(torch.cuda.device_count()):
        torch.zeros(4, device=f"cuda:{index}")
    torch.zeros(4, device="cuda:1")
