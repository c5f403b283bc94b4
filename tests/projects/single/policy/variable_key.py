import os

KEY = "CUDA_VISIBLE_DEVICES"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ[KEY] = "0"  # ~ wrong-visible-devices error

import torch
