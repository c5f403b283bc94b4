import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
print(sys.argv)
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ conflicting-pins warning

import torch

torch.cuda.init()
