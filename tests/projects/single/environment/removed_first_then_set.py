import os

for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
    os.environ.pop(name, None)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
