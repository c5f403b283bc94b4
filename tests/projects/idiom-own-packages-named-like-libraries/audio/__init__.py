"""Sound; chooses the wrong device for its resampler."""
import torch


def resampler():
    return torch.nn.Conv1d(1, 1, 3).to("cuda:1")  # ~ device-not-allowed note
