import os

ENV = dict(CUDA_VISIBLE_DEVICES="1", CUDA_DEVICE_ORDER="PCI_BUS_ID")
os.environ |= ENV

import torch

torch.ones(1).cuda()
