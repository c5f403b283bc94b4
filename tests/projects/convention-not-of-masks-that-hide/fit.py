import torch

torch.zeros(2).cuda()  # ~ missing-visible-devices warning
