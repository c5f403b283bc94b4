import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

from app import checks

if __name__ == "__main__":
    checks.run_all([checks.by_name, checks.by_assertion])
    torch.zeros(4, device="cuda")
