import os

os.environ["CUDA_DEVICE_ORDER"] = "FASTEST_FIRST"  # ~ wrong-device-order error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
import torch
