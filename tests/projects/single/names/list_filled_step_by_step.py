import os
import sys

masks = []
masks.append("0")
masks.append("1")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(masks)

import torch

torch.zeros(1, device="cuda:1")
torch.zeros(1, device="cuda:2")  # ~ device-outside-mask error
