import os

import settings

os.environ["CUDA_DEVICE_ORDER"] = settings.GPU.order
os.environ["CUDA_VISIBLE_DEVICES"] = str(settings.GPU.index)  # ~ wrong-visible-devices error

import torch
