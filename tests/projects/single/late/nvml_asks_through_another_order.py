import os

import pynvml

pynvml.nvmlInit()
best = max(range(pynvml.nvmlDeviceGetCount()), key=lambda i: pynvml.nvmlDeviceGetMemoryInfo(pynvml.nvmlDeviceGetHandleByIndex(i)).free)
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = str(best)

import torch

torch.ones(1).cuda()
