import os
import subprocess

out = subprocess.check_output(["nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits"], text=True)
free = [int(x) for x in out.split()]
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(free.index(max(free)))

import torch

torch.ones(1).cuda()
