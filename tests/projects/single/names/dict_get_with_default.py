import os

settings = {"order": "PCI_BUS_ID"}
os.environ["CUDA_DEVICE_ORDER"] = settings["order"]
os.environ["CUDA_VISIBLE_DEVICES"] = settings.get("mask", "0,1")

import torch

torch.zeros(1, device="cuda:1")
torch.zeros(1, device="cuda:2")  # ~ device-outside-mask error
