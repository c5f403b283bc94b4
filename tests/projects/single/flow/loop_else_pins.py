import os
import sys

for argument in sys.argv:
    if argument.startswith("--gpu="):
        os.environ["CUDA_VISIBLE_DEVICES"] = argument[6:]
        break
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()
