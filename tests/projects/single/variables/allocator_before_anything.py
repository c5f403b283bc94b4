import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"


def save_memory(size):
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = f"max_split_size_mb:{size},garbage_collection_threshold:0.6"


save_memory(64)

import torch

torch.zeros(1, device="cuda")
save_memory(64)
