import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
if gpu := os.environ.get("GPU"):
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.ones(1).cuda()
