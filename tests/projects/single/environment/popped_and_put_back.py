import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
mask = os.environ.pop("CUDA_VISIBLE_DEVICES")
print("working without")
os.environ["CUDA_VISIBLE_DEVICES"] = mask

import torch

torch.cuda.set_device(1)  # ~ device-outside-mask error
