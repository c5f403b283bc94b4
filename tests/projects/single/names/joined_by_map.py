import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(2)))

import torch

torch.zeros(1, device="cuda:1")
torch.zeros(1).to("cuda:2")  # ~ device-outside-mask error
