import os

import torch

tensors = [torch.ones(1), torch.zeros(1)]
moved = map(lambda tensor: tensor.cuda(), tensors)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
print(list(moved))
