import os

os.environ["CUDA_DEVICE_ORDER"], os.environ["CUDA_VISIBLE_DEVICES"] = "PCI_BUS_ID", "1"

import torch

torch.ones(1).cuda()
