import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
import b

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error


def mask():
    return "0"
