import os


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


def pin_again():
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


pin()

import torch

pin_again()
torch.cuda.init()
pin_again()
pin()
