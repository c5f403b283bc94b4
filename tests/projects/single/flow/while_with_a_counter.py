import os

tries = 0
while tries < 3:
    tries += 1
os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
os.environ["CUDA_VISIBLE_DEVICES"] = "0,1,2,3"

import torch

torch.cuda.set_device(tries)
