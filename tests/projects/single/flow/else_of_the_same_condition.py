import os
import sys

mode = sys.argv[1]
if mode == "gpu":
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

if mode == "gpu":
    torch.cuda.set_device(0)
    torch.cuda.set_device(1)  # ~ device-outside-mask error
