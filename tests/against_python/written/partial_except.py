import os

import torch


class Options:
    pass


options = Options()
if os.path.exists("marker"):
    options.card = "1"
try:
    card = options.card
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
except AttributeError:
    card = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = card
torch.zeros(1).cuda()
