import os
import sys

GPU = "--gpu" in sys.argv
if GPU:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

if GPU:
    torch.cuda.init()
