import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ conflicting-pins warning
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ conflicting-pins warning

import torch

torch.cuda.init()
