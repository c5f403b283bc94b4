import os

import tool

print(tool.gpu.COUNT)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
