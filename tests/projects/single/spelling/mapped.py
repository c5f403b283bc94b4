import os

def pin(gpu):
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = gpu


list(map(pin, ["1"]))

import torch

torch.ones(1).cuda()
