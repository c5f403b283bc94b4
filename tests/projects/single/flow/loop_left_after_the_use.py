import os
import sys

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for mask in sys.argv[1:]:
    os.environ["CUDA_VISIBLE_DEVICES"] = mask  # ~ pin-after-gpu-import note
    torch.zeros(1, device="cuda")
    break
