import torch

torch.ones(1)
