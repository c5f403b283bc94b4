import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
