import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, device="cuda"):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.to(device)  # ~ missing-visible-devices warning


Net()
