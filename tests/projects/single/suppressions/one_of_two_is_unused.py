import torch

torch.ones(1, device="cuda")  # gpulint: ignore[missing-visible-devices, device-not-allowed] two cards here
# ~^ unused-suppression warning
