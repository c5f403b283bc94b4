import torch

print(torch.zeros(1, device="cuda"))
