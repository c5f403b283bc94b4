import os

import torch


def batches():
    torch.cuda.init()
    yield 1


waiting = batches()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
