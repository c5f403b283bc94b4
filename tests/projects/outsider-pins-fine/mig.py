import os

os.environ["CUDA_VISIBLE_DEVICES"] = "MIG-GPU-5c1f93a2-0b5e-4d3c-9c1a-3c1f0e5a7b11/1/0"

import torch

torch.ones(1, device="cuda")
