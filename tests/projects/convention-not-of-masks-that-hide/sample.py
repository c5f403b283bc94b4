import torch

torch.zeros(3).cuda()  # ~ missing-visible-devices note
