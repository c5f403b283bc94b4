import os

order, *masks = "PCI_BUS_ID", "0", "1"
first, second = "1", "0"
first, second = second, first
os.environ["CUDA_DEVICE_ORDER"] = order
os.environ["CUDA_VISIBLE_DEVICES"] = first

import torch

torch.cuda.set_device(0)
