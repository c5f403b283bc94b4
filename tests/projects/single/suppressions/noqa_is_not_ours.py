import torch

torch.ones(1).cuda()  # noqa  # ~ missing-visible-devices warning
