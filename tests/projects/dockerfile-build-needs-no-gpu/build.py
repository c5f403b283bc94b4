import torch

print(torch.cuda.init())  # ~ missing-visible-devices warning
