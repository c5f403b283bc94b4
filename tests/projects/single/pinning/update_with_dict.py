import os

os.environ.update({"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"})

import torch

torch.randn(4, 4).to("cuda")
