import os
import sys


def pin(mask):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = mask


pin(sys.argv[1])

import torch

torch.cuda.set_device(3)  # ~ device-not-allowed warning
