import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app.checks import ensure_rtx3090

if __name__ == "__main__":
    ensure_rtx3090()
    torch.zeros(4, device="cuda")  # ~ missing-gpu-validation warning
