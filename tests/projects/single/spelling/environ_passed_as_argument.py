import os

def pin(env):
    env["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"
    env["CUDA_VISIBLE_DEVICES"] = "1"


pin(os.environ)

import torch

torch.ones(1).cuda()
