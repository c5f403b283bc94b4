import torch

getattr(torch.cuda, "is_available")()  # ~ missing-visible-devices warning
