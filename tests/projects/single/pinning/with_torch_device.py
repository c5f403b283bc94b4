import torch

with torch.cuda.device(0):  # ~ missing-visible-devices warning
    x = torch.ones(1)
