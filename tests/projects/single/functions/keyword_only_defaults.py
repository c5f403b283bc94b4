import os


def pin(*, order="PCI_BUS_ID", mask="0"):
    os.environ["CUDA_DEVICE_ORDER"] = order
    os.environ["CUDA_VISIBLE_DEVICES"] = mask


options = {"mask": "0,1"}
pin(**options)

import torch

torch.cuda.set_device(1)
torch.cuda.set_device(2)  # ~ device-outside-mask error
