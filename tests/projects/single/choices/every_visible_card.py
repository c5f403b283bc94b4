import os

os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")

import torch

index = 0
for index in range(torch.cuda.device_count()):
    torch.zeros(1, device=f"cuda:{index}")
    print(torch.cuda.get_device_name(index))
for index, card in enumerate(os.environ["CUDA_VISIBLE_DEVICES"].split(",")):
    torch.zeros(1).to(index)
