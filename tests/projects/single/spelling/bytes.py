import os

os.environb[b"CUDA_VISIBLE_DEVICES"] = b"1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.ones(1).cuda()
