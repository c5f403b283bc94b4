import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

options = dict(device="cuda:1")  # ~ device-outside-mask error
torch.zeros(1, **options)
index = 1
torch.zeros(1).to("cuda", index)
torch.nn.Linear(1, 1).cuda(*[index - 1])
