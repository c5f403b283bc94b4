import torch  # ~ missing-visible-devices error

torch.zeros(1, device="cuda")
