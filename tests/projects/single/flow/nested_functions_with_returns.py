import os
import sys


def pin():
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        return
    if "--second" in sys.argv:
        os.environ["CUDA_VISIBLE_DEVICES"] = "1"
        return
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
pin()

import torch

torch.cuda.init()
