import os

import torch
from torch.cuda.amp import GradScaler, autocast

SCALER = GradScaler()

if __name__ == "__main__":
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
    with autocast():
        print(torch.ones(1))
