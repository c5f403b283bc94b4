import torch

options = {}
options.update(device="cuda")
torch.zeros(1, **options)  # ~ missing-visible-devices warning
