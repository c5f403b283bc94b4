import os

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
try:
    import yaml
except ImportError:
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-gpu-import note
else:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
    torch.cuda.init()
