import os

import torch

env = os.environ | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"}  # ~ environ-copy-unused warning
torch.cuda.set_device(0)  # ~ missing-visible-devices warning
