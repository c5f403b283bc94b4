import os
import sys

try:
    mask = sys.argv[1]
except IndexError:
    sys.exit("which card?")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = mask

import torch

torch.cuda.init()
