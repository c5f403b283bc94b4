import os
import subprocess

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

torch.cuda.init()
child = os.environ.copy()
child["CUDA_VISIBLE_DEVICES"] = "1"
child.update(CUDA_VISIBLE_DEVICES="2")
subprocess.Popen(["python", "worker.py"], env=child)
