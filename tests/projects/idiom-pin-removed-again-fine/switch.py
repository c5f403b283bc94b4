"""The reload changes nothing, and nothing was to change."""
import importlib
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

print(torch.cuda.get_device_name(0))
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
importlib.reload(torch.cuda)
print(torch.cuda.get_device_name(0))
