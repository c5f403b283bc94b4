import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ.pop("CUDA_VISIBLE_DEVICES")  # ~ pin-removed warning

import torch

torch.ones(1).cuda()
