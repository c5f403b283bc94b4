import os
from concurrent.futures import ThreadPoolExecutor

import torch


def work(index):
    return torch.zeros(1, device="cuda")


os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
with ThreadPoolExecutor() as pool:
    list(pool.map(work, [1, 2]))
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
