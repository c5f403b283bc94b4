import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app.answers import memory_is_right


def main():
    right = memory_is_right()
    if not right:
        raise RuntimeError("another card")
    torch.zeros(4, device="cuda")


if __name__ == "__main__":
    main()
