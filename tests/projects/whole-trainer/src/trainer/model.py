import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, batch):
        return self.layer(batch)


def build(device):
    return Model().to(device)
