"""`python -m app`: the package runs first."""
import torch

from .model import Narrator

print(Narrator().cuda()(torch.zeros(1, 80).cuda()))
