import os
import sys

os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

import torch

index = 0
for name in sys.argv:
    torch.zeros(1, device=f"cuda:{index % torch.cuda.device_count()}")
    index += 1
torch.zeros(1, device=f"cuda:{index - 1}")
