import torch

torch.cuda.init()  # ~ missing-visible-devices warning
