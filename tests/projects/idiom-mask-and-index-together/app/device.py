"""The index from the time before there was a mask."""
import torch

DEVICE = torch.device("cuda:1")  # ~ device-outside-mask error
