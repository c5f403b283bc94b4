"""A reload resets nothing: the driver has read the variables."""
import importlib
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

print(torch.cuda.get_device_name(0))
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
importlib.reload(torch.cuda)
print(torch.cuda.get_device_name(0))
