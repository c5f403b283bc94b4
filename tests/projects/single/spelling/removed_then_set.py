import os

os.environ.pop("CUDA_VISIBLE_DEVICES", None)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
