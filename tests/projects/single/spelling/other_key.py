import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICE"] = "1"  # ~ gpu-env-name-typo error
os.environ["NVIDIA_VISIBLE_DEVICES"] = "1"  # ~ container-env-in-process warning

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
