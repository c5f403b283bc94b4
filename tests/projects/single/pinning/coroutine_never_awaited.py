import os

import torch


async def pin():
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"


task = pin()
torch.ones(2).cuda()  # ~ missing-visible-devices warning
