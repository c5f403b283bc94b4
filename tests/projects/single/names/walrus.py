import os

if (mask := "0") and (order := "PCI_BUS_ID"):
    os.environ["CUDA_DEVICE_ORDER"] = order
    os.environ["CUDA_VISIBLE_DEVICES"] = mask

import torch

torch.cuda.init()
