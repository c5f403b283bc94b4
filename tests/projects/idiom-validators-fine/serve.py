import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

"""The validator of the policy lies outside of the project."""
import torch
from card_tools import validate_rtx3090_mandatory

validate_rtx3090_mandatory()
torch.zeros(4, device="cuda")
