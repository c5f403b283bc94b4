import os

import torch


def size(name):
    return torch.cuda.get_device_properties(0).total_memory


largest = sorted(["a", "b"], key=size)
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
print(largest)
