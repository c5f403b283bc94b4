import os
import sys

cpu = "--cpu" in sys.argv
if not cpu:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

device = "cpu" if cpu else "cuda"
torch.zeros(1, device=device)
