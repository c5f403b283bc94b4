import os
import torch
try:
    card = "0"
except ValueError:
    card = "1"
else:
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.cuda.init()
