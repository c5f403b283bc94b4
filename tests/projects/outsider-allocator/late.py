import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:128"  # ~ alloc-conf-too-late warning
x = torch.zeros(4, device="cuda")
