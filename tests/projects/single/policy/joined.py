import os

GPUS = [0, 1]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(g) for g in GPUS)  # ~ wrong-visible-devices error

import torch
