import torch  # ~ missing-visible-devices error

torch.ones(1).cuda()
