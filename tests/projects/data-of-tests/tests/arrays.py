import torch

ONES = torch.ones(3, device="cuda")  # ~ gpu-object-at-import note
