import os

import torch


def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note


STEPS = {"pin": pin, "use": lambda: torch.cuda.init()}
STEPS["pin"]()
STEPS["use"]()
