"""The model; importing this file uses no GPU."""
import torch


class Narrator(torch.nn.Module):
    def __init__(self, size=80):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(size, size), torch.nn.Tanh())

    def forward(self, sound):
        return self.layers(sound)
