import os

import torch

names = ["a", "b"]
usable = filter(lambda name: torch.cuda.is_available(), names)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(sorted(usable, key=lambda name: torch.cuda.device_count()))
