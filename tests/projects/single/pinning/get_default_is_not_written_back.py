import os

import torch

gpu = os.environ.get("CUDA_VISIBLE_DEVICES", "0")
print(f"running on GPU {gpu}")
torch.ones(2).cuda()  # ~ missing-visible-devices warning
