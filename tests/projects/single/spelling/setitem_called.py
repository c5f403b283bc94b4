import os

os.environ.__setitem__("CUDA_VISIBLE_DEVICES", "1")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.ones(1).cuda()
