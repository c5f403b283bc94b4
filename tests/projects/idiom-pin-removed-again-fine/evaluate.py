"""Another variable is removed."""
import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"
os.environ.pop("CUDA_LAUNCH_BLOCKING", None)
settings = {"CUDA_VISIBLE_DEVICES": "0"}
del settings["CUDA_VISIBLE_DEVICES"]

import torch

print(torch.cuda.get_device_name(0))
