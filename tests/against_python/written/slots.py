import os
import torch


class Slim:
    __slots__ = ("card", "used")

    def __init__(self, card):
        self.card = card


slim = Slim("3")
os.environ["CUDA_VISIBLE_DEVICES"] = slim.card
slim.used = True
try:
    slim.other = 1
    torch.cuda.current_device()
except AttributeError:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
torch.cuda.init()
