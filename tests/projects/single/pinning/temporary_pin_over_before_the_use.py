import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import torch

print(torch.__version__)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.ones(1).cuda()
