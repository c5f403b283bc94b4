import torch

try:
    torch.cuda.init()  # ~ missing-visible-devices warning
except RuntimeError, ValueError:
    pass
