import os

import torch
from torch import nn

criterion = nn.CrossEntropyLoss().cuda()
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "1"  # ~ pin-after-gpu-import note
nn.Linear(4, 4).cuda()
