import os
import sys

if sys.platform == "win32":
    mask = "0"
else:
    mask = "1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = mask

import torch

torch.cuda.set_device(0)
