import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.load("model.pt", map_location={"cuda:1": "cuda:0"})
torch.load("model.pt", map_location={"cuda:0": "cuda:1"})  # ~ device-outside-mask error
torch.load("model.pt", map_location=lambda storage, location: storage)
