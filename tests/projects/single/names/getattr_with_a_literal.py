import torch

getattr(torch.cuda, "init")()  # ~ missing-visible-devices warning
