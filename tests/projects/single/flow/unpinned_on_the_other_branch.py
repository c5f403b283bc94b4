import os
import sys

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if "--check" in sys.argv:
    torch.cuda.init()  # ~ missing-visible-devices note
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    torch.cuda.init()
