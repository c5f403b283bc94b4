import os
import subprocess
import sys

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

print(torch.cuda.get_device_name(0))
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.run([sys.executable, "worker.py"], check=True)
