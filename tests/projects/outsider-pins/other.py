import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI"  # ~ wrong-device-order error
os.environ["CUDA_VISIBLE_DEVICES"] = "0,0"  # ~ visible-devices-hides-all error

import cupy

cupy.zeros(3)
