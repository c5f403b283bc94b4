import os

import torch

batches = [torch.ones(2) for _ in range(3)]
on_gpu = [b.to("cuda") for b in batches]
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
