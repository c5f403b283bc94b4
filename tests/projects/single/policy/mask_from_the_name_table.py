import os

CARDS = {"RTX 3090": "1", "RTX 5060 Ti": "0"}
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = CARDS["RTX 5060 Ti"]  # ~ wrong-visible-devices error

import torch
