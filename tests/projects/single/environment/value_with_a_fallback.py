import os
import sys

card = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("CARD", "0")
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = card

import torch

torch.cuda.set_device(0)
