import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app.checks import only_the_large_card
from app.model import Narrator

if __name__ == "__main__":
    only_the_large_card()
    Narrator().cuda()
