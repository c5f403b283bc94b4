import os

os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "true"

import torch

assert torch.cuda.is_available()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
torch.ones(1).cuda()
