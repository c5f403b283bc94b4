import os


def clean(names):
    for name in names:
        os.environ.pop(name, None)  # ~ pin-removed warning


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
clean(["CUDA_VISIBLE_DEVICES"])

import torch

torch.cuda.init()
