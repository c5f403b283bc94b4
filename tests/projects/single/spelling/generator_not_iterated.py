import os

def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
    yield


steps = pin()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
