import os
import sys

mask = None
if len(sys.argv) > 1:
    mask = sys.argv[1]
if mask is not None:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = mask
