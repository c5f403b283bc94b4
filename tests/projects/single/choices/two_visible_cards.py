import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "2,3"

import torch

torch.zeros(1, device="cuda:1")
torch.zeros(1, device="cuda:2")  # ~ device-outside-mask error
torch.cuda.set_device(3)  # ~ device-outside-mask error
