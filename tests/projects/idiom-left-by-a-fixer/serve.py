"""Only one of the two lines arrived."""
import os

os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ missing-device-order error

import torch

if __name__ == "__main__":
    torch.zeros(4, device="cuda")
