import os

[os.environ.setdefault(k, v) for k, v in [("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), ("CUDA_VISIBLE_DEVICES", "1")]]

import torch

torch.ones(1).cuda()
