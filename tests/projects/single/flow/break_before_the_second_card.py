import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
for mask in ("0", "1"):
    os.environ["CUDA_VISIBLE_DEVICES"] = mask
    break

import torch

torch.cuda.init()
