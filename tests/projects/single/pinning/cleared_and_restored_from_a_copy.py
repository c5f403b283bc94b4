import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
saved = os.environ.copy()
os.environ.clear()
os.environ.update(saved)

import torch

torch.cuda.init()
