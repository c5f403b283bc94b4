import torch

torch.ones(1, device="cuda:1")  # gpulint: ignore[missing-visible-devices, device-not-allowed] two cards here
