import os
import torch

os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.unsetenv("CUDA_VISIBLE_DEVICES")
if "CUDA_VISIBLE_DEVICES" in os.environ:
    torch.cuda.init()
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "2")
torch.cuda.current_device()
