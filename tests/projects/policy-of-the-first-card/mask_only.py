import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ missing-device-order error
import torch
