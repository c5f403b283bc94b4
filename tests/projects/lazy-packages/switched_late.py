import os

from switched import Model

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
print(Model())
