import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if "--second" in sys.argv:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
