import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS"  # ~ wrong-device-order error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
