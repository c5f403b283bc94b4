import os

os.environ["RAPIDS_NO_INITIALIZE"] = "1"

import cudf

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
