import os


def choose():
    return "PCI_BUS_ID", "0,1"


order, mask = choose()
os.environ["CUDA_DEVICE_ORDER"], os.environ["CUDA_VISIBLE_DEVICES"] = order, mask

import torch

torch.cuda.set_device(1)
torch.cuda.set_device(2)  # ~ device-outside-mask error
