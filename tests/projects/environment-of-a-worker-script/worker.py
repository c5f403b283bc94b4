import os

if "CUDA_VISIBLE_DEVICES" not in os.environ:
    raise SystemExit("start me by start.py")
if "CUDA_DEVICE_ORDER" not in os.environ:
    raise SystemExit("start me by start.py")

import torch

torch.zeros(1, device="cuda")
