"""Says the same thing twice."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

from app.defaults import RATE

os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app.model import Narrator

if __name__ == "__main__":
    print(RATE, Narrator().cuda()(torch.zeros(1, 80).cuda()))
