import os

CARDS = ["1", "0"]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = CARDS[0]

import torch

torch.ones(1).cuda()
