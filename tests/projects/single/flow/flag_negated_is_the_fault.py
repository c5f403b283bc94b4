import os
import sys

gpu = "--gpu" in sys.argv
if gpu:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

if not gpu:
    torch.cuda.init()  # ~ missing-visible-devices note
