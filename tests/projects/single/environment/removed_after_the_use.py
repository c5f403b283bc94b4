import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.zeros(1).cuda()
os.environ.pop("CUDA_VISIBLE_DEVICES")
torch.zeros(1).cuda()
