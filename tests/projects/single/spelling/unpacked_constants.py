import os

order, gpu = "PCI_BUS_ID", "0"
os.environ["CUDA_DEVICE_ORDER"] = order
os.environ["CUDA_VISIBLE_DEVICES"] = gpu  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
