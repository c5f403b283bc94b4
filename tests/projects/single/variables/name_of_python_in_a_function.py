import numpy as np


def main():
    CUDA_DEVICE_ORDER = "PCI_BUS_ID"  # ~ gpu-env-as-python-name warning
    CUDA_VISIBLE_DEVICES = "1"  # ~ gpu-env-as-python-name warning
    return np.zeros(3)
