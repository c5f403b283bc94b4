"""The one card that the mask leaves."""
import torch

DEVICE = torch.device("cuda:0")
