import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "3,4"

import torch

torch.cuda.set_device(4)  # ~ device-outside-mask error
