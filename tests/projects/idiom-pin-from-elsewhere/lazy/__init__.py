"""A package that uses the card when it is imported."""
import torch

WARM = torch.zeros(1, device="cuda")  # ~ gpu-object-at-import warning
