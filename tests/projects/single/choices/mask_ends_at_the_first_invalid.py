import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,-1,1"  # ~ visible-devices-truncated error

import torch

torch.zeros(1, device="cuda:1")  # ~ device-outside-mask error
