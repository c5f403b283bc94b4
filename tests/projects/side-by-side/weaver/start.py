import os
import sys

sys.path.append("./parts")
import looms

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-cuda-init error
