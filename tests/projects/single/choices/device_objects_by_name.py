import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

DEVICES = {"main": torch.device("cuda:0"), "spare": torch.device("cpu")}
for name, device in DEVICES.items():
    torch.zeros(1, device=device)
kwargs = {"device": torch.device("cuda", 0), "dtype": torch.float32}
torch.zeros(1, **kwargs)
