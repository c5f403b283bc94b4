import atexit
import os

import torch


def clean_up():
    os.environ.pop("CUDA_VISIBLE_DEVICES", None)


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
atexit.register(clean_up)
torch.cuda.init()
