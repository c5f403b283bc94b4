import torch

options = dict(device="cuda:1", dtype=torch.float16)
print(options)
