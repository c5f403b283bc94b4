"""The allocator's own setting stays."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "max_split_size_mb:512,garbage_collection_threshold:0.8"

from app import legacy

legacy.select()

import torch

if __name__ == "__main__":
    print("training on", torch.cuda.get_device_name(0))
