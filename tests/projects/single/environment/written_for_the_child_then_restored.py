import os
import subprocess

import torch

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-gpu-import note
torch.cuda.init()
saved = os.environ["CUDA_VISIBLE_DEVICES"]
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
subprocess.run(["python", "worker.py"], check=True)
os.environ["CUDA_VISIBLE_DEVICES"] = saved
