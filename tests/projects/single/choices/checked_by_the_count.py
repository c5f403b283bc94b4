import torch

if torch.cuda.device_count() > 1:
    torch.zeros(1, device="cuda:1")  # ~ missing-visible-devices warning
second = "cuda:1" if torch.cuda.device_count() >= 2 else "cuda:0"
print(second)
