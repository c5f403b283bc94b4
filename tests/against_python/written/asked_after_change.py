import os

import torch

if "CUDA_VISIBLE_DEVICES" in os.environ:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
elif os.path.exists("marker"):
    os.environ["CUDA_VISIBLE_DEVICES"] = "1"
if "CUDA_VISIBLE_DEVICES" in os.environ:
    torch.zeros(1).cuda()
if os.environ.get("MODE") == "slow":
    os.environ["CUDA_VISIBLE_DEVICES"] = "2"
os.environ["MODE"] = "slow"
if os.environ.get("MODE") == "slow":
    torch.zeros(1).cuda()
