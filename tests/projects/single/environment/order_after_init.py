import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
