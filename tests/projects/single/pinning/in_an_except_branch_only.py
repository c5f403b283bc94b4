import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
try:
    import accelerator_settings
except ImportError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.ones(2).cuda()  # ~ missing-visible-devices note
