import os

import torch

device = "cuda:0" if os.environ.get("CUDA_VISIBLE_DEVICES", "").strip() else "cpu"
torch.ones(1).to(device)
