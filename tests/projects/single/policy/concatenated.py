import os

PREFIX = "0"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_" + "BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = PREFIX + ",1"  # ~ wrong-visible-devices error

import torch
