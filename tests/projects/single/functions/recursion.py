import os

import torch


def retry(left):
    if left == 0:
        return
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    retry(left - 1)


retry(2)
torch.cuda.init()
