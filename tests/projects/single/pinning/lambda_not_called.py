import os

import torch

pin = lambda: os.environ.update(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="0")
torch.ones(2).cuda()  # ~ missing-visible-devices warning
