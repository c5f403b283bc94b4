import torch

torch.ones(1).cuda()  # ~ missing-visible-devices warning
