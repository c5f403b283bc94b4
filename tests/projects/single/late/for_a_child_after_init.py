import os
import subprocess

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

torch.cuda.init()
env = dict(os.environ, CUDA_VISIBLE_DEVICES="0")
subprocess.run(["python", "w.py"], env=env)
