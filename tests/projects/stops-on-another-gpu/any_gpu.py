import torch

weights = torch.zeros(4, device="cuda")  # ~ missing-visible-devices warning
