import os

import settings
from settings import ORDER

os.environ["CUDA_DEVICE_ORDER"] = ORDER
os.environ["CUDA_VISIBLE_DEVICES"] = str(settings.GPU)  # ~ wrong-visible-devices error

import torch
