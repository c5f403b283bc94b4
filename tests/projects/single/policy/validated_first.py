import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"

import torch

if "3090" not in torch.cuda.get_device_name(0):
    raise SystemExit("wrong card")
if os.environ.get("CUDA_VISIBLE_DEVICES") != "1":
    raise SystemExit("wrong mask")
torch.ones(1, device="cuda:0")
