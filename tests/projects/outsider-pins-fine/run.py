import os

os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0, 1")
os.environ["OMP_NUM_THREADS"] = str(4)
if os.environ.get("CUDA_VISIBLE_DEVICES") == "all":
    print("CUDA_VISIBLE_DEVICES=all hides every GPU")

import torch

torch.ones(1, device="cuda")
