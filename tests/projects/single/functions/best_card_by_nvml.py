import os
import subprocess

import pynvml

pynvml.nvmlInit()
cards = range(pynvml.nvmlDeviceGetCount())
best = max(cards, key=lambda index: pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(index)).free)
free = subprocess.check_output(["nvidia-smi", "--query-gpu=memory.free", "--format=csv"])
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(best)

import torch

torch.cuda.init()
