import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

os.environ.pop("CUDA_VISIBLE_DEVICES")  # ~ pin-removed error
torch.ones(2).cuda()
