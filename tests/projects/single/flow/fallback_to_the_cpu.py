import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

try:
    model = torch.nn.Linear(1, 1).to("cuda")
except RuntimeError:
    model = torch.nn.Linear(1, 1).to("cpu")
