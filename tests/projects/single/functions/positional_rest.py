import os


def put(*pairs):
    for name, value in pairs:
        os.environ[name] = value


put(("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), ("CUDA_VISIBLE_DEVICES", "1"))

import torch

torch.zeros(1).to(1)  # ~ device-outside-mask error
