import os

os.environ.setdefault("CUDA_VISIBLE_DEVICES", "1")  # ~ missing-device-order warning

import cupy

cupy.zeros(1)
