import os

def pin(**variables):
    for name, value in variables.items():
        os.environ[name] = value


pin(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_VISIBLE_DEVICES="1")

import torch

torch.ones(1).cuda()
