"""The block was put below the import that uses the card."""
import torch

CARD = torch.cuda.get_device_name(0)

import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error

if __name__ == "__main__":
    print(CARD)
