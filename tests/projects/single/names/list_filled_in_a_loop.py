import os
import sys

masks = ["0"]
for name in sys.argv[1:]:
    masks.append(name)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(masks)

import torch

torch.zeros(1, device="cuda:0")
