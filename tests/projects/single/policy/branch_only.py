import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if len(sys.argv) > 2:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch  # ~ missing-visible-devices warning
