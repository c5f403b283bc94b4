import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

"""The validator is imported and not called."""
import torch

from app.checks import validate_rtx3090_later

CHECKS = [validate_rtx3090_later]
torch.zeros(4, device="cuda")  # ~ missing-gpu-validation warning
