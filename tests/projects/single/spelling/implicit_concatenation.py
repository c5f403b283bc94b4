import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_" "BUS_ID"
os.environ["CUDA_" "VISIBLE_DEVICES"] = "1"

import torch

torch.ones(1).cuda()
