import os

cards = os.environ.get("CUDA_VISIBLE_DEVICES", "0").split(",")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = cards[0]

import torch

torch.cuda.set_device(0)
