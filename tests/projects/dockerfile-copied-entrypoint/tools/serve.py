import torch

torch.ones(1, device="cuda:1")  # ~ device-outside-mask error
