import torch

torch.ones(1).cuda()  # gpulint: ignore[missing-device-order] wrong one
# ~^ missing-visible-devices warning, unused-suppression warning
