"""Narrates a text on the large card."""
import os
import sys
from pathlib import Path


def _setup():
    root = Path(__file__).resolve().parent
    sys.path.insert(0, str(root))
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    return root


_ROOT = _setup()

import torch

from speech.model import Narrator


def main():
    model = Narrator().to("cuda:0")
    print(model(torch.zeros(1, 80, device="cuda:0")).shape)


if __name__ == "__main__":
    main()
