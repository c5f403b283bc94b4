import os

CONFIG = {"gpu": {"index": 0}}
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(CONFIG["gpu"]["index"])  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
