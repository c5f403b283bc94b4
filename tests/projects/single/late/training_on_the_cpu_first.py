import os

import torch

model = torch.nn.Linear(2, 1)
loss = model(torch.ones(2)).sum()
loss.backward()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # ~ pin-after-cuda-init error
os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # ~ pin-after-cuda-init error
model.cuda()
