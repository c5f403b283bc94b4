import os

from settings import CONFIG

os.environ["CUDA_DEVICE_ORDER"] = CONFIG["order"]
os.environ["CUDA_VISIBLE_DEVICES"] = CONFIG["gpu"]

import torch
