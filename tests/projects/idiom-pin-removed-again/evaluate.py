"""`del` takes it back too."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
del os.environ["CUDA_VISIBLE_DEVICES"]  # ~ pin-removed warning

import torch

print(torch.cuda.get_device_name(0))
