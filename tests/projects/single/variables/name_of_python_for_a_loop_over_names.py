import os

import numpy as np

CUDA_VISIBLE_DEVICES = "1"
CUDA_DEVICE_ORDER = "PCI_BUS_ID"

for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
    os.environ[name] = globals()[name]
np.zeros(3)
