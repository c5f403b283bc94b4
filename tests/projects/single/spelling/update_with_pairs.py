import os

os.environ.update([("CUDA_VISIBLE_DEVICES", "1"), ("CUDA_DEVICE_ORDER", "PCI_BUS_ID")])

import torch

torch.ones(1).cuda()
