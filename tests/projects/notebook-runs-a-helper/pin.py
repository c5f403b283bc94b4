import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch


def model():
    return torch.nn.Linear(1, 1)


if __name__ == "__main__":
    print(model())
