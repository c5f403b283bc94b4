import os

cards = [0, 1]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(str(card) for card in cards)

import torch

torch.zeros(1, device="cuda:1")
torch.zeros(1).to("cuda:2")  # ~ device-outside-mask error
