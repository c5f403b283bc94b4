import os

os.environ["cuda_visible_devices"] = "0"  # ~ gpu-env-name-typo error
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()  # ~ missing-visible-devices warning
