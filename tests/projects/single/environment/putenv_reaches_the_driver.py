import os

os.putenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID")  # ~ putenv-bypasses-environ warning
os.putenv("CUDA_VISIBLE_DEVICES", "0")  # ~ putenv-bypasses-environ warning

import torch

torch.cuda.init()
