import torch

# gpulint: ignore[missing-visible-devices] any card will do
torch.ones(1).cuda()
