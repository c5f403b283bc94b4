import os

import torch

os.environ |= {"CUDA_VISIBLE_DEVICES": "1"}
merged = os.environ | {"CUDA_VISIBLE_DEVICES": "2"}
os.environ["CUDA_DEVICE_ORDER"] = merged["CUDA_VISIBLE_DEVICES"]
torch.cuda.init()
