import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,2"

import torch

torch.ones(1, device="cuda:0")
torch.ones(1, device="cuda:1")
torch.ones(1, device="cuda:2")  # ~ device-outside-mask error
