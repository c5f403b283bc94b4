# Every test module behind it has the GPU from here: that is one fault, and it stands here.
import pytest
import torch

ready = torch.zeros(1, device="cuda")  # ~ missing-visible-devices warning
