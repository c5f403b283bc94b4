import os

import enum


class Card(enum.Enum):
    RTX_5060 = "0"
    RTX_3090 = "1"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = Card.RTX_5060.value  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
