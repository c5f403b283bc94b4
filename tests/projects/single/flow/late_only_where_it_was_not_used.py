import os
import sys

import torch

warm = "--warm" in sys.argv
if warm:
    torch.cuda.init()  # ~ missing-visible-devices note
if not warm:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    torch.cuda.init()
