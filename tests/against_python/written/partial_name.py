import os

import torch


if os.path.exists("marker"):
    card = "1"
try:
    os.environ["CUDA_VISIBLE_DEVICES"] = card
except NameError:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
torch.zeros(1).cuda()
