import os
from enum import Enum


class Card(Enum):
    BIG = "1"
    SMALL = "0"


class Order(str, Enum):
    PCI = "PCI_BUS_ID"


os.environ["CUDA_DEVICE_ORDER"] = Order.PCI.value
os.environ["CUDA_VISIBLE_DEVICES"] = Card.BIG.value

import torch

torch.ones(1, device="cuda:1")  # ~ device-outside-mask error
