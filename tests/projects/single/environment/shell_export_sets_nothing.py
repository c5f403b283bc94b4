import os
import subprocess

os.system("export CUDA_VISIBLE_DEVICES=0")  # ~ gpu-env-in-subshell error
subprocess.run("set CUDA_VISIBLE_DEVICES=0", shell=True, check=True)  # ~ gpu-env-in-subshell error
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"

import torch

torch.cuda.init()  # ~ missing-visible-devices warning
