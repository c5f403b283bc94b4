import os

for name, value in (("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), ("CUDA_VISIBLE_DEVICES", "0")):
    os.environ[name] = value

import torch

torch.ones(2).cuda()
