import os
import sys


def pin(argv):
    if "--cpu" in argv:
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
        return
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


pin(sys.argv)

import torch

torch.zeros(1, device="cuda" if torch.cuda.is_available() else "cpu")
