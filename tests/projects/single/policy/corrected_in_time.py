import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"
os.environ.update(CUDA_VISIBLE_DEVICES="1")  # ~ conflicting-pins error

import torch

torch.cuda.init()
