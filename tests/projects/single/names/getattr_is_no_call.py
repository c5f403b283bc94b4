import torch

ask = getattr(torch.cuda, "is_available", None)
print(ask is not None)
