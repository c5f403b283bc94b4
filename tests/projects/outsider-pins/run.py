import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICE"] = "0"  # ~ gpu-env-name-typo error
os.environ["OMP_NUM_THREADS"] = 4  # ~ env-value-not-string error

import torch

torch.ones(1, device="cuda")  # ~ missing-visible-devices warning
