import os

CUDA_VISIBLE_DEVICES = "1"  # ~ gpu-env-as-python-name warning
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
