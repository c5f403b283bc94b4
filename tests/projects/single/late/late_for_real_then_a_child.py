import os
import subprocess

import torch

print(torch.cuda.is_available())
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
torch.ones(1).cuda()
subprocess.run(["nvidia-smi"], check=False)
