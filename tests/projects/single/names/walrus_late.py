import os

import torch

if (found := torch.cuda.is_available()):
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
print(found)
