import os

import torch
from torch.cuda.amp import GradScaler, autocast

SCALER = GradScaler()  # ~ deprecated-amp-api warning

if __name__ == "__main__":
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
    with autocast():  # ~ deprecated-amp-api warning
        print(torch.ones(1))
