import os

import torch


class Checked(type):
    def __init__(cls, name, bases, body):
        torch.cuda.init()


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.cuda.init()
