import torch

print(torch.zeros(1, device="cuda:1"))  # ~ device-outside-mask error
