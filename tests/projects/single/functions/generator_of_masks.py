import os


def masks():
    yield "0"


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for mask in masks():
    os.environ["CUDA_VISIBLE_DEVICES"] = mask

import torch

torch.cuda.init()
