import torch

torch.ones(1).cuda()  # gpulint: ignore[missing-visible-device] typo
# ~^ missing-visible-devices warning, unknown-suppression warning
