import service
import torch

torch.zeros(1, device="cuda")  # ~ missing-gpu-validation warning
