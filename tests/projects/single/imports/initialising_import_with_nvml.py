import os

os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"

import bitsandbytes

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(bitsandbytes)
