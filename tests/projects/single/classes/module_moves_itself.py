import os

import torch


class Model(torch.nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.to(device)


Model()
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
