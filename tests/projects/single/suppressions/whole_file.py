# gpulint: ignore-file[missing-visible-devices] the scheduler gives the card
import torch

torch.ones(1).cuda()
