import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0" if "--first" in sys.argv else "1"

import torch

torch.cuda.set_device(0)
torch.cuda.set_device(1)  # ~ device-outside-mask error
