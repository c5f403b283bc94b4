import os

import torch

os.environ | {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0"}
torch.cuda.init()  # ~ missing-visible-devices warning
