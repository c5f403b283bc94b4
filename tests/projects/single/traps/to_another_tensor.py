import torch

a = torch.zeros(1)
b = torch.ones(1, dtype=torch.float64)
print(a.to(b), a.to(b.dtype), a.to(b.device))
