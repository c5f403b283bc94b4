import os

try:
    import yaml
except ImportError:
    yaml = None
finally:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.ones(2).cuda()
