import os

GPU_ENV = {
    "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    "CUDA_VISIBLE_DEVICES": "0",
    "PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:512",
}
for key, value in GPU_ENV.items():
    os.environ.setdefault(key, value)

import torch

torch.ones(2).cuda()
