import os
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for name in sys.argv[1:]:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    import torch

    torch.zeros(1, device="cuda")
