import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
if "--all" in sys.argv:
    del os.environ["CUDA_VISIBLE_DEVICES"]  # ~ pin-removed note

import torch

torch.cuda.init()
