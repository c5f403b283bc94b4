import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

"""The card is asked, and nobody listens; the program ends as every program does."""
import sys

import torch


def card():
    return torch.cuda.get_device_name(0)


def main():
    print(card())
    torch.zeros(4, device="cuda")  # ~ missing-gpu-validation warning
    return 0


if __name__ == "__main__":
    sys.exit(main())
