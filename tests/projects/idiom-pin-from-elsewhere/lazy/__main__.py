"""The package runs before this line does."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error

from . import WARM

print(WARM)
