import os

DEFAULTS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID", "CUDA_VISIBLE_DEVICES": "0", "OMP_NUM_THREADS": "4"}
for name, value in DEFAULTS.items():
    os.environ.setdefault(name, value)

import torch

torch.cuda.set_device(0)
