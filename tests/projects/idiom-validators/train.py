import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app.checks import validate_gpu
from app.model import Narrator

if __name__ == "__main__":
    validate_gpu()
    Narrator().cuda()  # ~ missing-gpu-validation warning
