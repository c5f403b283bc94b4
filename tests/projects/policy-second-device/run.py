import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"

import torch

torch.ones(1, device="cuda:1")
torch.ones(1, device="cuda:0")  # ~ device-not-allowed error
torch.cuda.set_device(1)
