import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

"""The name is seen and printed; nothing stops."""
import torch

print(torch.cuda.get_device_name(0))
torch.zeros(4, device="cuda")  # ~ missing-gpu-validation warning
