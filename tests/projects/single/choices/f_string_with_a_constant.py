import os

os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0"

import torch

GPU = 1
torch.zeros(1, device=f"cuda:{GPU}")  # ~ device-outside-mask error
torch.zeros(1, device="cuda:" + str(GPU))  # ~ device-outside-mask error
torch.zeros(1, device="cuda:{}".format(GPU))  # ~ device-outside-mask error
torch.zeros(1, device="cuda:%d" % GPU)  # ~ device-outside-mask error
torch.zeros(1, device=f"cuda:{GPU - 1}")
