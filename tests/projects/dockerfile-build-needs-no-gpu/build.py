import torch

print(torch.cuda.is_available())  # ~ missing-visible-devices warning
