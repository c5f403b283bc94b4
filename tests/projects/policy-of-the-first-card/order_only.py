import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
import torch  # ~ missing-visible-devices error
