import os

import torch

if any(torch.cuda.get_device_capability(index) >= (8, 0) for index in range(1)):
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
