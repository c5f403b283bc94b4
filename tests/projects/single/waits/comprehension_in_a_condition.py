import os

import torch

names = {index: torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())}
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
print(names)
