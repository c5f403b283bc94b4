import os

for key in ["CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"]:
    os.environ[key] = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "1"}[key]

import torch

torch.ones(1).cuda()
