import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.system("export CUDA_VISIBLE_DEVICES=1")  # ~ gpu-env-in-subshell error

import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
