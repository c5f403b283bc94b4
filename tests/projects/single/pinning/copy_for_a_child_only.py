import os
import subprocess
import sys

import torch

env = os.environ.copy()
env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
env["CUDA_VISIBLE_DEVICES"] = "0"
subprocess.run([sys.executable, "worker.py"], env=env, check=True)
print(torch.cuda.init())  # ~ missing-visible-devices warning
