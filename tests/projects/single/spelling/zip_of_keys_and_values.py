import os

for key, value in zip(["CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"], ["PCI_BUS_ID", "0"]):
    os.environ[key] = value  # ~ wrong-visible-devices error

import torch

torch.ones(1).cuda()
