import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

from gpu import ensure


def main():
    ensure("RTX 3090")
    model = torch.nn.Linear(3, 3).cuda()
    return model


if __name__ == "__main__":
    main()
